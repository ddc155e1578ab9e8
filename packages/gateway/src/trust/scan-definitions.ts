import { invisibleLines, isObject } from '@causeway/engine/internal'
import type { Lists } from '../source/fetch-lists.ts'
import { FEATURES, instructionsOf } from './lock/features.ts'
import { isAscii, plainText } from './look-alikes.ts'
import type { NameIndex, Owned } from './name-index.ts'
import { DEMANDS, ORDERS, SECRETS, matchOf, wordsOf } from './word-rules.ts'
import type { WordRule } from './word-rules.ts'

/** Something about a definition that a person should look at. */
export interface Finding {
  /** Which rule found it. */
  readonly rule: 'invisible' | 'instructions' | 'secrets' | 'shadowing' | 'look-alike' | 'unscanned'
  /** Where, from the definition's top. */
  readonly where: string
  readonly why: string
}

type Json = Readonly<Record<string, unknown>>

/** How much is read: of one definition, and of all that a server lists. */
const DEFINITION_CHARACTERS = 256 * 1024
const SERVER_CHARACTERS = 2 * 1024 * 1024
// Other letters may be many when they are written plainly.
const OTHER_LETTERS_COST = 4
const DEEPEST = 64
const MOST_FINDINGS = 20
const LONGEST_PLACE = 200
const LONGEST_QUOTE = 100
const FOR_FEATURES: readonly WordRule[] = [...ORDERS, ...DEMANDS]
const TAG = /< ?\/? ?(?:important|system|instructions?|secret|hidden) ?>/
const SECRET_PLACE = /\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b/

/** What looks wrong with each definition of a server by itself, by kind and name. */
export function scanLists(lists: Lists): Map<string, Finding[]> {
  const scanning = new Scanning(lists)
  for (const part of scanning.parts) scanning.look(part)
  return scanning.found
}

interface Part {
  readonly key: string
  readonly definition: Json
  readonly orders: readonly WordRule[]
}

/** The scan of a server's lists, a definition at a time. */
export class Scanning {
  readonly found: Map<string, Finding[]> = new Map()
  readonly parts: readonly Part[]
  readonly #budget: Budget = { left: SERVER_CHARACTERS }

  constructor(lists: Lists) {
    const instructions = instructionsOf(lists)
    this.parts = [
      ...(instructions ? [{ key: 'instructions instructions', definition: instructions, orders: ORDERS }] : []),
      ...FEATURES.flatMap(({ kind, listed }) =>
        listed(lists).map(([name, definition]) => ({ key: `${kind} ${name}`, definition, orders: FOR_FEATURES })),
      ),
    ]
  }

  look({ key, definition, orders }: Part): void {
    const findings = scanWithin(definition, orders, this.#budget)
    if (findings.length > 0) this.found.set(key, findings)
  }
}

/** What looks wrong with a definition by itself. */
export const scan = (definition: Json): Finding[] =>
  scanWithin(definition, FOR_FEATURES, { left: DEFINITION_CHARACTERS })

interface Budget {
  left: number
}

/** What is not read, because it is too long or too deep, is a finding too: nothing hides behind the bounds. */
function scanWithin(definition: Json, orders: readonly WordRule[], all: Budget): Finding[] {
  const findings: Finding[] = []
  const own = { left: Math.min(DEFINITION_CHARACTERS, all.left) }
  const before = own.left
  const isWhole = eachText(definition, own, (where, text) => {
    findings.push(...findingsIn(where, text, orders))
    return findings.length < MOST_FINDINGS
  })
  all.left -= before - Math.max(0, own.left)
  if (!isWhole && findings.length < MOST_FINDINGS)
    findings.push({ rule: 'unscanned', where: 'definition', why: 'is too long or nested too deeply to be scanned' })
  return findings
}

/** Every text of a definition, names of members among them; false if some were left out. */
function eachText(definition: Json, budget: Budget, look: (where: string, text: string) => boolean): boolean {
  const seen = (where: string, text: string): boolean => {
    budget.left -= text.length * (isAscii(text) ? 1 : OTHER_LETTERS_COST) + 1
    return budget.left >= 0 && look(where, text)
  }
  const walk = (value: unknown, where: string, depth: number): boolean => {
    if (typeof value === 'string') return seen(where, value)
    if (typeof value !== 'object' || value === null) return seen(where, '')
    if (depth >= DEEPEST) return false
    if (Array.isArray(value)) return value.every((item, at) => walk(item, `${where}[${at}]`, depth + 1))
    const members = isObject(value) ? value : {}
    return Object.keys(members).every(key => {
      const place = (where === '' ? key : `${where}.${key}`).slice(-LONGEST_PLACE)
      return seen(where, key) && walk(members[key], place, depth + 1)
    })
  }
  return walk(definition, '', 0)
}

function findingsIn(place: string, text: string, orders: readonly WordRule[]): Finding[] {
  if (text.length < 2) return []
  const where = place === '' ? 'definition' : place
  const [[invisible] = []] = invisibleLines(text).values()
  const plain = plainText(text)
  const words = wordsOf(plain)
  const firstOf = (rules: readonly WordRule[]): string | undefined => {
    for (const rule of rules) {
      const found = matchOf(rule, words)
      if (found !== undefined) return found
    }
    return undefined
  }
  const order = TAG.exec(plain)?.[0] ?? firstOf(orders)
  const secret = SECRET_PLACE.exec(plain)?.[0] ?? firstOf(SECRETS)
  const made: (Finding | false)[] = [
    invisible !== undefined && { rule: 'invisible', where, why: `holds the invisible character ${invisible}` },
    order !== undefined && { rule: 'instructions', where, why: `tells the model what to do: ${quoted(order)}` },
    secret !== undefined && { rule: 'secrets', where, why: `asks for secrets: ${quoted(secret)}` },
  ]
  return made.filter(one => one !== false)
}

const quoted = (text: string): string => `"${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}"`

/** What looks wrong with a tool beside those of other servers: names that can be taken for each other, and talk of them. */
export function scanBeside(tool: Owned, others: NameIndex): Finding[] {
  const alike = others.lookAlike(tool)
  const mentioned = others.mentioned(tool)
  return [
    ...(alike
      ? [{ rule: 'look-alike', where: 'name', why: `can be taken for '${alike.name}' of ${alike.server}` } as const]
      : []),
    ...(mentioned
      ? [
          {
            rule: 'shadowing',
            where: 'description',
            why: `speaks of '${mentioned.name}', a tool of ${mentioned.server}`,
          } as const,
        ]
      : []),
  ]
}
