import type { Log, Pack } from '@causeway/engine'
import { browsing } from './browse.ts'
import { hintFor } from './ranking/hint.ts'
import { introspection } from './introspection.ts'
import { loadPatterns } from './load.ts'
import type { Pattern } from './knowledge/pattern.ts'
import { tmkbQuery } from './query.ts'
import type { Find } from './query.ts'
import { rank, rankByWeight } from './ranking/rank.ts'
import { relevance } from './ranking/relevance.ts'
import { FRAMEWORKS, LANGUAGES } from './knowledge/settings.ts'
import { withKeywords } from '../support/keywords.ts'
import { KEYWORDS } from './keywords.ts'

export { compilePatterns } from './knowledge/files.ts'
export { ownPatterns } from './load.ts'
export { validateFolder } from './knowledge/validate.ts'
export type { Finding, Verdict } from './knowledge/validate.ts'

/** What can be chosen about the pack. */
export interface ThreatsOptions {
  /** The published system alone: one tool with its own enums, and the patterns for Flask. */
  readonly documented?: boolean
  /** Where each query leaves a line; default: nowhere. */
  readonly log?: Log
}

const DOCUMENTED = {
  languages: ['python'],
  frameworks: ['flask', 'any'],
  about: { language: 'Programming language (MVP: Python only)', framework: 'Framework context (MVP: Flask or any)' },
}

const WIDE = {
  languages: LANGUAGES,
  frameworks: FRAMEWORKS,
  about: {
    language: 'Programming language',
    framework:
      'Framework context: code for flask, fastapi, django and express, advice for rails, spring, gin and nextjs; ' +
      'any for no particular one',
  },
}

/** Authorization threats: what goes wrong in what you are about to build, and the code that does not. */
export function threats({ documented = false, log = () => {} }: ThreatsOptions = {}): Pack {
  if (documented) {
    const query = tmkbQuery({ ...DOCUMENTED, bare: true, log, find: findForFlask })
    return { name: 'threats', features: [query] }
  }
  return {
    name: 'threats',
    instructions:
      'Before you write code that decides who may see or change something, ask tmkb_query what goes wrong there.',
    features: withKeywords(
      [
        tmkbQuery({ ...WIDE, bare: false, log, find }),
        ...browsing(loadPatterns, find, WIDE),
        ...introspection(loadPatterns),
      ],
      KEYWORDS,
    ),
  }
}

/** Triggers alone, over the patterns for Flask. */
const findForFlask: Find = async query => {
  const patterns = forFlask(await loadPatterns())
  const ranked = rank(patterns, query)
  if (ranked.length > 0) return { ranked }
  const matches = (context: string): boolean => rank(patterns, { context }).length > 0
  return { ranked, hint: hintFor(patterns, { nearest: [], matches }) }
}

const find: Find = async query => {
  const patterns = await loadPatterns()
  const weigh = weighing(patterns)
  const found = weigh(query.context)
  const ranked = rankByWeight(patterns, query, found.relevant)
  const missing = notCovered(found.uncovered)
  if (ranked.length > 0) return { ranked, ...(missing && { hint: missing }) }
  const matches = (text: string): boolean => weigh(text).relevant.size > 0
  return { ranked, hint: { ...missing, ...hintFor(patterns, { nearest: found.nearest, matches, more: LIST }) } }
}

/** What else was asked about: no answer must not look like no threat. */
const notCovered = (names: readonly string[]): object | undefined =>
  names.length === 0
    ? undefined
    : { not_covered: `These patterns are about authorization. Not covered: ${names.join(', ')}.` }

const LIST = 'tmkb_list shows every pattern.'

const weighing = once(relevance)

/** Those for Flask, which then name only each other and show only code for Flask. */
const forFlask = once(patterns => {
  const own = patterns.filter(({ framework }) => framework === 'flask')
  const ids = new Set(own.map(({ id }) => id))
  return own.map(pattern => flaskOnly(ids, pattern))
})

const flaskOnly = (ids: ReadonlySet<string>, pattern: Pattern): Pattern => ({
  ...pattern,
  related_patterns: (pattern.related_patterns ?? []).filter(({ id }) => ids.has(id)),
  mitigations: pattern.mitigations.map(({ code_examples = [], ...mitigation }) => ({
    ...mitigation,
    code_examples: code_examples.filter(({ framework }) => framework === 'flask'),
  })),
})

/** What is made of the patterns is made once. */
function once<T>(make: (patterns: readonly Pattern[]) => T): (patterns: readonly Pattern[]) => T {
  const kept = new WeakMap<readonly Pattern[], T>()
  return patterns => {
    const made = kept.get(patterns) ?? make(patterns)
    kept.set(patterns, made)
    return made
  }
}
