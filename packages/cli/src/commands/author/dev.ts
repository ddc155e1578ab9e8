import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { readConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { openBrowser } from '../../login/open-browser.ts'
import { developerAt } from '../../modules/developer.ts'
import { servesConsole } from '../../serve/serve-console.ts'
import { serveHere } from '../serve.ts'

/** Serve modules while they are written: what changes is loaded again, and clients stay connected. */
export async function dev(args: Args): Promise<number> {
  const [path, extra] = args.positionals
  if (path === undefined || extra !== undefined)
    throw new UsageError(`Name a folder of modules, or one module. Usage: ${args.command.usage}`)
  const found = resolve(path)
  await stat(found).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  const read = readConfig(args)
  // Only what is being written, unless more is asked for.
  const packs = read.given.has('pack') || read.given.has('preset') ? read.packs : []
  const config = { ...read, packs, toolsDir: [...read.toolsDir, found], workers: 1 }
  const isWatched = process.stdout.isTTY && !isGiven(args, 'quiet')
  return serveHere(
    config,
    developerAt(url => void (isWatched && openBrowser(url)), servesConsole(config)),
  )
}
