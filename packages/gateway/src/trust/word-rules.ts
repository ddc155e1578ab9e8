import { skeleton } from './look-alikes.ts'

/** Words of which one has to follow within so many words of the last stage. Two words with a blank are a pair. */
interface Stage {
  readonly words: ReadonlySet<string>
  readonly within: number
}

/** Words that say something together, in this order. */
export type WordRule = readonly Stage[]

const stage = (words: string, within = 0): Stage => ({
  words: new Set(words.split('|').map(word => word.split(' ').map(skeleton).join(' '))),
  within,
})

const VERBS = 'call|use|read|send|include|pass|fetch'
const OTHERS = 'other|another|this'.split('|')

/** Words by which a text gives orders to a model that no definition needs. */
export const ORDERS: readonly WordRule[] = [
  [
    stage('ignore|disregard|forget|override'),
    stage('previous|prior|earlier|above|other|all', 7),
    stage('instruction|instructions|prompt|prompts|rule|rules|tool|tools|guideline|guidelines', 5),
  ],
  [
    stage('do not|must not|should not|dont|never'),
    stage('tell|mention|inform|reveal|show|notify', 5),
    stage('user|users|anyone|human|humans', 5),
  ],
  [
    stage('before|after|instead of|whenever'),
    stage('using|calling|use|call', 7),
    stage(OTHERS.flatMap(word => [`${word} tool`, `${word} tools`]).join('|'), 5),
    stage('must|always|first|read|send|call', 10),
  ],
  [stage('system prompt|conversation history|chat history|previous messages')],
]

/** What a tool has no business to demand; instructions of a server may. */
export const DEMANDS: readonly WordRule[] = [[stage('you must|you should|you need'), stage(VERBS, 3)]]

/** Words by which a text asks for secrets. */
export const SECRETS: readonly WordRule[] = [
  [
    stage('content|contents|value|read|send|pass|include|provide|put'),
    stage(
      'api key|api keys|apikey|apikeys|private key|private keys|password|passwords|credential|credentials|access token|access tokens|.env|mcp .json',
      8,
    ),
  ],
]

const VOCABULARY = new Set(
  [...ORDERS, ...DEMANDS, ...SECRETS].flat().flatMap(({ words }) => [...words].flatMap(word => word.split(' '))),
)

/** A word that some rule looks for. */
interface Known {
  readonly at: number
  /** How it can be taken: alone, and together with the word before it. */
  readonly alone: readonly string[]
  readonly pairs: readonly string[]
}

/** A text as words, and those of them that rules look for. */
export interface Words {
  readonly written: readonly string[]
  readonly known: readonly Known[]
}

/** The words of a plain text. A dot before a word belongs to it, as in `.env`, or to the sentence before. */
export function wordsOf(plain: string): Words {
  // An apostrophe is left out, as people leave it out.
  const written: readonly string[] = plain.replaceAll(/['’]/g, '').match(/\.?[\p{L}\p{N}]+/gu) ?? []
  const known: Known[] = []
  let before = ''
  for (const [at, one] of written.entries()) {
    const word = skeletonOf(one)
    const bare = word.startsWith('.') ? word.slice(1) : word
    if (VOCABULARY.has(word) || VOCABULARY.has(bare))
      known.push({ at, alone: [word, bare], pairs: [`${before} ${word}`, `${before} ${bare}`] })
    before = bare
  }
  return { written, known }
}

const KEPT = 5000
const LONGEST_KEPT = 40
const kept = new Map<string, string>()

/** Most words are the same few. */
function skeletonOf(word: string): string {
  // No rule has a word as long.
  if (word.length > LONGEST_KEPT) return ''
  const known = kept.get(word)
  if (known !== undefined) return known
  if (kept.size >= KEPT) kept.clear()
  const made = skeleton(word)
  kept.set(word, made)
  return made
}

/** Where a rule is fulfilled, as it is written; time in proportion to the words. */
export function matchOf(rule: WordRule, { written, known }: Words): string | undefined {
  // By stage, the last place where it was reached, and where that match began.
  const reached: { at: number; from: number }[] = []
  for (const word of known) {
    for (let i = rule.length - 1; i >= 0; i--) {
      const { words, within } = rule[i] as Stage
      const width = widthIn(words, word)
      const last = i === 0 ? { at: word.at, from: word.at - width + 1 } : reached[i - 1]
      if (width === 0 || !last || word.at - last.at > within) continue
      if (i === rule.length - 1) return written.slice(last.from, word.at + 1).join(' ')
      reached[i] = { at: word.at, from: last.from }
    }
  }
  return undefined
}

function widthIn(words: ReadonlySet<string>, { alone, pairs }: Known): 0 | 1 | 2 {
  if (pairs.some(pair => words.has(pair))) return 2
  return alone.some(word => words.has(word)) ? 1 : 0
}
