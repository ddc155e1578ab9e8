import { glob } from '../../support/patterns/glob.ts'
import type { Likelihood, Pattern, Severity } from '../knowledge/pattern.ts'
import { isAdvised, languageOf, settingOf } from '../knowledge/settings.ts'
import type { Query, Setting } from '../knowledge/settings.ts'
import { Phrases, wordsOf } from './words.ts'

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low']
const LIKELIHOODS: readonly Likelihood[] = ['high', 'medium', 'low']

/** The patterns whose triggers a query meets, most relevant first; severity, likelihood and id decide between equals. */
export function rank(patterns: readonly Pattern[], query: Query): Pattern[] {
  const words = wordsOf(query.context)
  const text: Text = { words, set: new Set(words), paths: pathsIn(query.context) }
  const weights = new Map(patterns.map(pattern => [pattern.id, score(pattern, text)]))
  return ordered(
    patterns.filter(pattern => suits(pattern, query)),
    ({ id }) => weights.get(id) ?? 0,
  )
}

// A pattern of the framework that is asked for comes before one of another.
const OWN_FRAMEWORK = 1.2
const OTHER_FRAMEWORK = 0.75
const NAMED_PATH = 0.5

/** The patterns that weigh enough for a query, most relevant first; a path that is mentioned adds to the weight. */
export function rankByWeight(
  patterns: readonly Pattern[],
  query: Query,
  weights: ReadonlyMap<string, number>,
): Pattern[] {
  const setting = settingOf(query)
  const paths = pathsIn(query.context)
  return ordered(
    patterns.filter(pattern => suits(pattern, query)),
    pattern => {
      const weight = weights.get(pattern.id) ?? 0
      return weight === 0 ? 0 : (weight + NAMED_PATH * namesPath(pattern, paths)) * fit(pattern, setting)
    },
  )
}

const namesPath = (pattern: Pattern, paths: readonly string[]): number =>
  triggersOf(pattern).files.some(file => paths.some(path => file(path.toLowerCase()))) ? 1 : 0

function fit({ framework }: Pattern, { framework: wanted }: Setting): number {
  if (wanted === undefined || framework === 'any' || framework === 'flask') return 1
  return framework === wanted ? OWN_FRAMEWORK : OTHER_FRAMEWORK
}

/** Those that weigh anything, the heaviest first. */
function ordered(patterns: readonly Pattern[], weigh: (pattern: Pattern) => number): Pattern[] {
  return patterns
    .map(pattern => ({ pattern, weight: weigh(pattern) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || bySeverity(a.pattern, b.pattern))
    .map(({ pattern }) => pattern)
}

/** The order without a query: the worst first. */
export const bySeverity = (a: Pattern, b: Pattern): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood) ||
  (a.id < b.id ? -1 : 1)

/** Does the pattern hold in one setting that has both the language and the framework? All hold where only advice is given. */
export function suits(pattern: Pattern, { language, framework: named }: Setting): boolean {
  const framework = named === 'any' ? undefined : named
  if (isAdvised({ language, framework })) return true
  const fits = (asked: string | undefined, has: string | undefined): boolean =>
    asked === undefined || has === 'any' || has === asked
  return [`${pattern.language}/${pattern.framework}`, ...(pattern.generalizes_to ?? [])].some(setting => {
    const [itsLanguage, itsFramework] = setting.split('/')
    return fits(languageOf(language), itsLanguage) && fits(framework, itsFramework)
  })
}

interface Text {
  readonly words: readonly string[]
  readonly set: ReadonlySet<string>
  readonly paths: readonly string[]
}

/** Twice the keywords met, and the share of the pattern's own they are; an action or a path counts for less. */
function score(pattern: Pattern, text: Text): number {
  const { keywords, actions, size } = triggersOf(pattern)
  const met = keywords.found(text.words).length
  const acts = actions.filter(words => words.every(word => text.set.has(word))).length
  return 2 * met + (size === 0 ? 0 : met / size) + acts + namesPath(pattern, text.paths)
}

interface Ready {
  readonly keywords: Phrases
  readonly size: number
  readonly actions: readonly (readonly string[])[]
  readonly files: readonly ((path: string) => boolean)[]
}

const ready = new WeakMap<Pattern, Ready>()

function triggersOf(pattern: Pattern): Ready {
  const { keywords, actions = [], file_patterns = [] } = pattern.triggers
  const known = ready.get(pattern) ?? {
    keywords: new Phrases(keywords),
    size: keywords.length,
    actions: actions.map(wordsOf),
    files: file_patterns.map(pattern => glob(pattern.toLowerCase())),
  }
  ready.set(pattern, known)
  return known
}

const LONGEST_PATH = 260

const pathsIn = (context: string): string[] =>
  context.split(/[\s"'`,;:()]+/).filter(part => part.length <= LONGEST_PATH && /\.\w/.test(part))
