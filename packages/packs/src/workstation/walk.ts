import { constants } from 'node:fs'
import type { Dirent } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isMissing } from '../support/errno.ts'
import { readAll } from '../support/file.ts'
import type { Held, Jail } from '../support/jail.ts'
import { ignoreRules } from '../support/ignore-rules.ts'
import type { Rules } from '../support/ignore-rules.ts'

/** Something met on a walk. */
export interface Found {
  readonly entry: Dirent
  /** The directory it is in. */
  readonly dir: Held
  /** From where the walk began, with `/`. */
  readonly path: string
  readonly depth: number
}

/** How to walk. */
export interface Walk {
  readonly signal: AbortSignal
  /** Also what `.gitignore` names. */
  readonly ignored: boolean
  readonly depth?: number
  /** Takes what is met, directories before what is in them; false ends the walk. */
  visit(found: Found): Promise<boolean> | boolean
}

interface Scoped {
  /** The directory whose rules they are. */
  readonly base: string
  readonly rules: Rules
}

// Deeper than any source tree, and not so deep that open directories run out.
const DEEPEST = 100
const LARGEST_RULES = 256 * 1024
const LONGEST_TURN_MS = 10

/** Walk everything below a directory in the order of names; links are met, never followed. */
export async function walk(jail: Jail, start: Held, options: Walk): Promise<void> {
  const rules = options.ignored ? [] : await above(jail, start)
  await step(start, '', 1, { ...options, rules })
}

async function step(dir: Held, prefix: string, depth: number, options: Walk & { rules: Scoped[] }): Promise<boolean> {
  const own = options.ignored ? undefined : await rulesIn(dir)
  const rules = own ? [...options.rules, own] : options.rules
  const entries = await readdir(dir.at(), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  let since = performance.now()
  for (const entry of entries) {
    // Many rules make slow work of many names; others get their turn, and the signal a hearing.
    if (performance.now() - since > LONGEST_TURN_MS) {
      await new Promise(resolve => void setImmediate(resolve))
      since = performance.now()
    }
    options.signal.throwIfAborted()
    if (entry.name === '.git' || isIgnored(dir, entry, rules)) continue
    const path = prefix + entry.name
    if (!(await options.visit({ entry, dir, path, depth }))) return false
    if (!entry.isDirectory() || depth >= Math.min(options.depth ?? DEEPEST, DEEPEST)) continue
    const goesOn = dir.enter(entry.name, inner => step(inner, `${path}/`, depth + 1, { ...options, rules }))
    // What vanished meanwhile, or may not be read, is passed over.
    if (!(await goesOn.catch(passOver))) return false
  }
  return true
}

function passOver(error: unknown): true {
  if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'EACCES')) return true
  throw error
}

/** The last rule that says anything decides, and deeper files speak last. */
function isIgnored(dir: Held, entry: Dirent, scoped: readonly Scoped[]): boolean {
  for (const { base, rules } of scoped.toReversed()) {
    const path = relative(base, join(dir.path, entry.name)).replaceAll(sep, '/')
    const says = rules(path, entry.isDirectory())
    if (says !== undefined) return says
  }
  return false
}

/** The rules of the directories between the root and the start. */
async function above(jail: Jail, start: Held): Promise<Scoped[]> {
  if (jail.roots.includes(start.path)) return []
  return jail.inside({ path: dirname(start.path) }, async dir => {
    const own = await rulesIn(dir)
    return [...(await above(jail, dir)), ...(own ? [own] : [])]
  })
}

async function rulesIn(dir: Held): Promise<Scoped | undefined> {
  try {
    const file = await open(
      dir.at('.gitignore'),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
    try {
      const bytes = (await file.stat()).isFile() ? await readAll(file, LARGEST_RULES) : undefined
      return bytes && { base: dir.path, rules: ignoreRules(bytes.toString()) }
    } finally {
      await file.close()
    }
  } catch {
    // No rules, or none that can be read.
    return undefined
  }
}
