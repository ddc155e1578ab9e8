import type { Similarity } from './similarity.ts'
import type { Likelihood, Pattern, Severity } from './pattern.ts'
import { Phrases, wordsOf } from './words.ts'

/** What somebody is about to build. */
export interface Query {
  readonly context: string
  readonly language?: string | undefined
  /** `any` is the same as none. */
  readonly framework?: string | undefined
}

// So alike a pattern must be to be relevant without any trigger.
const LEAST_ALIKE = 0.4
// The greatest similarity counts as much as a keyword and a half.
const LIKENESS_WEIGHT = 3

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low']
const LIKELIHOODS: readonly Likelihood[] = ['high', 'medium', 'low']
const DIALECTS: Readonly<Record<string, string>> = { javascript: 'typescript' }

/**
 * The patterns that matter to a query, most relevant first; severity, likelihood and id decide between equals.
 * Where similarity is known, it counts beside the triggers.
 */
export function rank(patterns: readonly Pattern[], query: Query, similarity?: Similarity): Pattern[] {
  const words = wordsOf(query.context)
  const text: Text = { words, set: new Set(words), paths: pathsIn(query.context) }
  const wanted = frameworkOf(query) ?? FRAMEWORKS.find(name => text.set.has(name))
  const scored = patterns
    .filter(pattern => suits(pattern, query))
    .map(pattern => ({ pattern, met: score(pattern, text, wanted), alike: similarity?.get(pattern.id) ?? 0 }))
  return scored
    .filter(({ met, alike }) => met > 0 || alike >= LEAST_ALIKE)
    .map(({ pattern, met, alike }) => ({ pattern, score: met + LIKENESS_WEIGHT * alike }))
    .sort((a, b) => b.score - a.score || bySeverity(a.pattern, b.pattern))
    .map(({ pattern }) => pattern)
}

/** The order without a query: the worst first. */
export const bySeverity = (a: Pattern, b: Pattern): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood) ||
  (a.id < b.id ? -1 : 1)

/** Does the pattern hold in one setting that has both the language and the framework? */
export function suits(pattern: Pattern, query: Pick<Query, 'language' | 'framework'>): boolean {
  const framework = frameworkOf(query)
  const fits = (asked: string | undefined, has: string | undefined): boolean =>
    asked === undefined || has === 'any' || has === asked
  return [`${pattern.language}/${pattern.framework}`, ...(pattern.generalizes_to ?? [])].some(setting => {
    const [language, own] = setting.split('/')
    return fits(languageOf(query.language), language) && fits(framework, own)
  })
}

/** One name for the dialects of a language. */
export const languageOf = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : (DIALECTS[name] ?? name)

const frameworkOf = ({ framework }: Pick<Query, 'framework'>): string | undefined =>
  framework === 'any' ? undefined : framework

const FRAMEWORKS = ['flask', 'fastapi', 'django', 'express']

interface Text {
  readonly words: readonly string[]
  readonly set: ReadonlySet<string>
  readonly paths: readonly string[]
}

/** Twice the keywords met, and the share of the pattern's own they are; an action or a path counts for less. */
function score(pattern: Pattern, text: Text, framework: string | undefined): number {
  const { keywords, actions, files, size } = triggersOf(pattern)
  const met = keywords.count(text.words)
  const acts = actions.filter(words => words.every(word => text.set.has(word))).length
  const path = files.some(file => text.paths.some(p => file.test(p))) ? 1 : 0
  const found = 2 * met + (size === 0 ? 0 : met / size) + acts + path
  return found > 0 && pattern.framework === framework ? found + 1 : found
}

interface Ready {
  readonly keywords: Phrases
  readonly size: number
  readonly actions: readonly (readonly string[])[]
  readonly files: readonly RegExp[]
}

const ready = new WeakMap<Pattern, Ready>()

function triggersOf(pattern: Pattern): Ready {
  const { keywords, actions = [], file_patterns = [] } = pattern.triggers
  const known = ready.get(pattern) ?? {
    keywords: new Phrases(keywords),
    size: keywords.length,
    actions: actions.map(wordsOf),
    files: file_patterns.map(globOf),
  }
  ready.set(pattern, known)
  return known
}

const LONGEST_PATH = 260

const pathsIn = (context: string): string[] =>
  context.split(/[\s"'`,;:()]+/).filter(part => part.length <= LONGEST_PATH && /\.\w/.test(part))

/** A glob with `*` and `**`, as an expression for whole paths. */
function globOf(glob: string): RegExp {
  const source = glob
    .split(/(\*\*\/|\*)/)
    .map(part => (part === '**/' ? '(?:.*/)?' : part === '*' ? '[^/]*' : part.replace(/[^\w/]/g, '\\$&')))
  return new RegExp(`^${source.join('')}$`, 'i')
}
