import { opendir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { didYouMean } from '@causeway/engine'
import { isMissing } from '../../support/files/errno.ts'
import type { Jail } from '../../support/files/jail.ts'

const MOST_NAMES = 10_000

/** Work with something at a path; where there is nothing, the error names what comes closest in its directory. */
export async function orNearest<T>(jail: Jail, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const hint = isMissing(error) ? await nearestTo(jail, path).catch(() => undefined) : undefined
    if (hint === undefined || !(error instanceof Error)) throw error
    throw new Error(`${error.message}. ${hint}`, { cause: error })
  }
}

function nearestTo(jail: Jail, path: string): Promise<string | undefined> {
  const folder = dirname(path)
  return jail.inside({ path: folder }, async dir => {
    const names: string[] = []
    for await (const { name } of await opendir(dir.at())) if (names.push(name) >= MOST_NAMES) break
    const hint = didYouMean(basename(path), names)
    return folder === '.' ? hint : hint?.replace(/'([^']+)'/g, (_, name: string) => `'${join(folder, name)}'`)
  })
}
