import { readdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { shellWord } from '@causeway/engine/client-programs'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { UsageError, sentence } from '../../config/usage-error.ts'
import { choice } from '../../config/values.ts'
import { scaffold } from '../../authoring/scaffold.ts'
import type { SchemaKind } from '../../authoring/scaffold.ts'
import { print, printJson } from '../../terminal/print.ts'

// What npm takes as the name of a package, and every client as that of a server.
const NAME = /^[a-z][a-z0-9-]{0,63}$/

/** Make the files of a small server in a new folder, and say what to do with them. */
export async function newServer(args: Args): Promise<number> {
  const [where, extra] = args.positionals
  if (where === undefined || where.trim() === '' || extra !== undefined)
    throw new UsageError(`Name the server to make. Usage: ${args.command.usage}`)
  const folder = resolve(where)
  const name = basename(folder)
  if (!NAME.test(name)) throw new UsageError(badName(name))
  await refuseFull(folder)
  const schema = choice(args.given.get('schema')?.at(-1) ?? 'zod', '--schema', ['zod', 'json']) as SchemaKind
  const files = await scaffold({ folder, name, schema })
  if (isGiven(args, 'json')) await printJson({ folder, name, schema, files })
  else await print(isGiven(args, 'quiet') ? folder : nextSteps(where, files))
  return 0
}

function badName(name: string): string {
  const nearest = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 64)
  const hint = NAME.test(nearest) ? `Try: causeway new ${nearest}` : ''
  return sentence(
    `The name '${name.slice(0, 100)}' cannot be used: it takes lower-case letters, digits and -, begins with a letter, and has at most 64 characters.`,
    hint,
  )
}

/** Refuse a folder that has files, so that none is overwritten. */
async function refuseFull(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw new UsageError(`${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}`, 1)
  }
  throw new UsageError(`${folder} exists and is not empty. Choose another name.`, 1)
}

const nextSteps = (where: string, files: readonly string[]): string =>
  [
    `Made ${files.length} files in ${where}. Next:`,
    '',
    `  cd ${shellWord(where)}`,
    '  npm install',
    '  npm test         checks the types, and runs the tests',
    '  npm start        serves http://127.0.0.1:3000/mcp',
    '',
    'src/server.ts has a tool, a resource and a prompt; README.md says how clients use them.',
  ].join('\n')
