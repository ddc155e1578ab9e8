import { opendir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { RpcError, didYouMean } from '@causeway/engine'
import { resultStep } from '@causeway/engine/policies'
import type { Policy } from '@causeway/engine'
import { missingPath } from './errno.ts'
import type { Missing } from './errno.ts'
import type { Jail } from './jail.ts'

const MOST_NAMES = 10_000

/** Where a call fails since there is nothing at a path, its error names what comes closest in that directory. */
export const nearestPaths = (jail: Jail): Policy =>
  resultStep({
    onError: async error => {
      throw await withNearest(jail, error)
    },
  })

/** The same for one piece of work. */
export async function orNearest<T>(jail: Jail, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw await withNearest(jail, error)
  }
}

async function withNearest(jail: Jail, error: unknown): Promise<unknown> {
  const path = missingPath(error)
  if (path === undefined || !(error instanceof Error)) return error
  const hint = await nearestTo(jail, path).catch(() => undefined)
  if (hint === undefined) return error
  if (error instanceof RpcError) {
    const { code, message, data, kind } = error
    return new RpcError(code, message, data, { ...(kind && { kind }), hint, cause: error })
  }
  return new Error(`${error.message.replace(/\.$/, '')}. ${hint}`, { cause: error })
}

function nearestTo(jail: Jail, { sent, from }: Missing): Promise<string | undefined> {
  const folder = dirname(sent)
  return jail.inside({ path: from === '' ? folder : resolve(from, folder) }, async dir => {
    const names: string[] = []
    for await (const { name } of await opendir(dir.at())) if (names.push(name) >= MOST_NAMES) break
    const hint = didYouMean(basename(sent), names)
    return folder === '.' ? hint : hint?.replace(/'([^']+)'/g, (_, name: string) => `'${join(folder, name)}'`)
  })
}
