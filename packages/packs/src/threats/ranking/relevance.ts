import type { Pattern } from '../knowledge/pattern.ts'
import { withoutUncovered } from './uncovered.ts'
import { COMMON, DOMAIN, GENERIC } from './word-lists.ts'
import { Phrases, wordsOf } from './words.ts'

/** How much in a text speaks for each pattern, by its id. */
export interface Relevance {
  /** What speaks for it clearly enough to be shown. */
  readonly relevant: ReadonlyMap<string, number>
  /** What comes nearest where nothing does, best first. */
  readonly nearest: readonly string[]
  /** What it asks about that no pattern covers. */
  readonly uncovered: readonly string[]
}

// What a word weighs: one of the trade, one of any program, and the latter beside users, roles or accounts.
const SPECIFIC = 1.2
const MOST_SPREAD = 0.4
const SPREAD = 0.05
const WEAK = 0.35
const WEAK_AMONG_USERS = 0.6
// Words that stand together as in a phrase weigh more; words apart, and words of a phrase alone, less.
const TOGETHER = 1.3
const APART = 0.8
const LOOSE = 0.3
const VAGUE = 0.1
const MOST_LOOSE = 1.2
// Less than this says nothing; where users are spoken of, less is enough.
const FLOOR = 0.95
const FLOOR_AMONG_USERS = 0.65
const LEAST_SHARE = 0.4
const NEAR = 0.35
const MOST_NEAREST = 3

/** Reads the patterns once; the function then weighs texts against them. */
export function relevance(patterns: readonly Pattern[]): (text: string) => Relevance {
  const vocabularies = patterns.map(vocabularyOf)
  const spread = new Map<string, number>()
  for (const { words } of vocabularies) for (const word of words) spread.set(word, (spread.get(word) ?? 0) + 1)
  return text => {
    const { uncovered, rest } = withoutUncovered(text)
    const words = wordsOf(rest)
    const set = new Set([...words, ...partsOf(words)])
    // Who asks about something else has to say clearly that permission matters, too.
    const isAboutUsers = uncovered.length === 0 && [...set].some(word => DOMAIN.has(word))
    const said = { words, set, weigh: weigher(isAboutUsers, spread) }
    const found = vocabularies
      .map(vocabulary => [vocabulary.id, evidence(vocabulary, said)] as const)
      .sort(([, a], [, b]) => b - a)
    const most = found[0]?.[1] ?? 0
    const nearest = found.filter(([, weight]) => weight >= NEAR).map(([id]) => id)
    if (most < (isAboutUsers ? FLOOR_AMONG_USERS : FLOOR))
      return { relevant: new Map(), nearest: nearest.slice(0, MOST_NEAREST), uncovered }
    return { relevant: new Map(found.filter(([, weight]) => weight >= LEAST_SHARE * most)), nearest: [], uncovered }
  }
}

interface Vocabulary {
  readonly id: string
  readonly phrases: Phrases
  /** Phrases whose words may stand anywhere. */
  readonly actions: readonly (readonly string[])[]
  /** The words of all its phrases. */
  readonly words: ReadonlySet<string>
  /** The words of its name and summary. */
  readonly text: ReadonlySet<string>
}

function vocabularyOf({ id, name, triggers, agent_summary: { threat, check, fix } }: Pattern): Vocabulary {
  const { keywords, actions = [], phrases = '' } = triggers
  const all = [...keywords, ...phrases.split(/;\s*/), ...actions]
  return {
    id,
    phrases: new Phrases(all),
    actions: actions.map(telling).filter(action => action.length > 1),
    words: new Set(telling(all.join(' '))),
    text: new Set(telling([name, threat, check, fix].join(' '))),
  }
}

const telling = (text: string): string[] => wordsOf(text).filter(word => !COMMON.has(word))

/** The words an identifier is made of. */
const partsOf = (words: readonly string[]): string[] =>
  words.filter(word => word.includes('_')).flatMap(word => wordsOf(word.replaceAll('_', ' ')))

type Weigh = (word: string) => number

/** A word weighs more the fewer patterns know it. */
function weigher(isAboutUsers: boolean, spread: ReadonlyMap<string, number>): Weigh {
  const weak = isAboutUsers ? WEAK_AMONG_USERS : WEAK
  return word => {
    if (COMMON.has(word)) return 0
    if (GENERIC.has(word) || DOMAIN.has(word)) return weak
    return SPECIFIC - Math.min(MOST_SPREAD, SPREAD * ((spread.get(word) ?? 1) - 1))
  }
}

interface Said {
  readonly words: readonly string[]
  readonly set: ReadonlySet<string>
  readonly weigh: Weigh
}

function evidence({ phrases, actions, words: known, text }: Vocabulary, { words, set, weigh }: Said): number {
  const met = phrases.found(words)
  const mentioned = new Set(met.flat())
  const exact = sum(met, phrase => weightOf(phrase, weigh))
  const apart = sum(
    actions.filter(action => action.every(word => set.has(word))),
    action => APART * weightOf(action, weigh),
  )
  const loose = sum([...set], word => {
    if (mentioned.has(word)) return 0
    return weigh(word) * (known.has(word) ? LOOSE : text.has(word) ? VAGUE : 0)
  })
  return exact + apart + Math.min(MOST_LOOSE, loose)
}

const weightOf = (phrase: readonly string[], weigh: Weigh): number =>
  sum(phrase, weigh) * (phrase.length > 1 ? TOGETHER : 1)

const sum = <T>(values: readonly T[], weigh: (value: T) => number): number =>
  values.reduce((total, value) => total + weigh(value), 0)
