import type { Log, Pack } from '@causeway/engine'
import { browsing } from './browse.ts'
import type { Find } from './browse.ts'
import { compare } from './similarity.ts'
import { loadPatterns } from './load.ts'
import type { Pattern } from './pattern.ts'
import { tmkbQuery } from './query.ts'
import { rank } from './rank.ts'

export { ownPatterns } from './load.ts'
export { validateFolder } from './validate.ts'
export type { Finding, Verdict } from './validate.ts'

/** What can be chosen about the pack. */
export interface ThreatsOptions {
  /** Only what the document has: one tool, its enums, the patterns for Flask. */
  readonly documented?: boolean
  /** Where each query leaves a line; nowhere unless told. */
  readonly log?: Log
}

const DOCUMENTED = {
  languages: ['python'],
  frameworks: ['flask', 'any'],
  about: { language: 'Programming language (MVP: Python only)', framework: 'Framework context (MVP: Flask or any)' },
}

const WIDE = {
  languages: ['python', 'javascript', 'typescript'],
  frameworks: ['flask', 'fastapi', 'django', 'express', 'any'],
  about: { language: 'Programming language', framework: 'Framework context; any for no particular one' },
}

/** Authorization threats: what goes wrong in what you are about to build, and the code that does not. */
export function threats({ documented = false, log = () => {} }: ThreatsOptions = {}): Pack {
  if (documented)
    return { name: 'threats', features: [tmkbQuery({ ...DOCUMENTED, bare: true, log, find: findForFlask })] }
  return {
    name: 'threats',
    instructions:
      'Before you write code that decides who may see or change something, ask tmkb_query what goes wrong there.',
    features: [tmkbQuery({ ...WIDE, bare: false, log, find }), ...browsing(loadPatterns, find, WIDE)],
  }
}

/** The document's own way: triggers alone, over the patterns for Flask. */
const findForFlask: Find = async query => rank(forFlask(await loadPatterns()), query)

const find: Find = async query => {
  const patterns = await loadPatterns()
  const compare = await comparing(patterns)
  return rank(patterns, query, compare(query.context))
}

/** Those for Flask, which then name only each other. */
const forFlask = once(patterns => {
  const own = patterns.filter(({ framework }) => framework === 'flask')
  const ids = new Set(own.map(({ id }) => id))
  return own.map(pattern => namingOnly(ids, pattern))
})

const namingOnly = (ids: ReadonlySet<string>, pattern: Pattern): Pattern => ({
  ...pattern,
  related_patterns: (pattern.related_patterns ?? []).filter(({ id }) => ids.has(id)),
})

const comparing = once(compare)

/** What is made of the patterns is made once. */
function once<T>(make: (patterns: readonly Pattern[]) => T): (patterns: readonly Pattern[]) => T {
  const kept = new WeakMap<readonly Pattern[], T>()
  return patterns => {
    const made = kept.get(patterns) ?? make(patterns)
    kept.set(patterns, made)
    return made
  }
}
