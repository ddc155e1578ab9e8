import { invisibleLines } from '@causeway/engine/internal'
import { isObject } from '@causeway/engine/internal'

/** Something about a definition that a person should look at. */
export interface Finding {
  /** Which rule found it. */
  readonly rule: 'invisible' | 'instructions' | 'secrets' | 'shadowing' | 'look-alike'
  /** Where, from the definition's top. */
  readonly where: string
  readonly why: string
}

type Json = Readonly<Record<string, unknown>>

const MOST_TEXTS = 500
const LONGEST = 20_000
const INSTRUCTIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|earlier|above|other|all)\b.{0,30}\b(?:instruction|prompt|rule|tool|guideline)/i,
  /\b(?:do not|don't|never)\b.{0,30}\b(?:tell|mention|inform|reveal|show|notify)\b.{0,30}\b(?:the user|user|anyone|human)/i,
  /<\s*\/?\s*(?:important|system|instructions?|secret|hidden)\s*>/i,
  /\b(?:before|after|instead of|whenever)\b.{0,40}\b(?:using|calling|use|call)\b.{0,30}\b(?:any other|other|another|this) tools?\b.{0,60}\b(?:must|always|first|read|send|call)\b/i,
  /\byou (?:must|should|need to) (?:always |first |also )?(?:call|use|read|send|include|pass|fetch)\b/i,
  /\b(?:system prompt|conversation history|chat history|previous messages)\b/i,
]
const SECRETS: readonly RegExp[] = [
  /~?\/?\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b/i,
  /\b(?:contents?|value|read|send|pass|include|provide|put)\b.{0,40}\b(?:api[ _-]?keys?|private keys?|passwords?|credentials?|access tokens?|\.env\b|mcp\.json)/i,
]

/** What looks wrong with a tool's definition by itself. */
export function scan(definition: Json): Finding[] {
  const findings: Finding[] = []
  for (const [where, text] of textsOf(definition)) {
    const [[invisible] = []] = invisibleLines(text).values()
    if (invisible !== undefined)
      findings.push({ rule: 'invisible', where, why: `holds the invisible character ${invisible}` })
    const order = INSTRUCTIONS.map(pattern => pattern.exec(text)?.[0]).find(found => found !== undefined)
    if (order !== undefined)
      findings.push({ rule: 'instructions', where, why: `tells the model what to do: ${quoted(order)}` })
    const secret = SECRETS.map(pattern => pattern.exec(text)?.[0]).find(found => found !== undefined)
    if (secret !== undefined) findings.push({ rule: 'secrets', where, why: `asks for secrets: ${quoted(secret)}` })
  }
  return findings
}

const quoted = (text: string): string => `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`

/** Every text of a definition, by where it stands; bounded, since it comes from outside. */
function textsOf(definition: Json): [where: string, text: string][] {
  const found: [string, string][] = []
  const walk = (value: unknown, where: string, depth: number): void => {
    if (found.length >= MOST_TEXTS || depth > 20) return
    if (typeof value === 'string') found.push([where, value.slice(0, LONGEST)])
    else if (Array.isArray(value)) value.forEach((item, at) => walk(item, `${where}[${at}]`, depth + 1))
    else if (isObject(value)) {
      for (const key in value) {
        if (invisibleLines(key).size > 0) found.push([where, key])
        walk(value[key], where === '' ? key : `${where}.${key}`, depth + 1)
      }
    }
  }
  walk(definition, '', 0)
  return found
}

/** A tool of some server, by its bare name. */
export interface Owned {
  readonly server: string
  readonly name: string
  readonly description?: string | undefined
}

/** The names of all servers' tools, by what they look like and by themselves, so that none has to be compared with all. */
export class NameIndex {
  readonly #bySkeleton = new Map<string, Map<string, string>>()
  readonly #owners = new Map<string, Set<string>>()
  readonly #names = new Map<string, readonly string[]>()

  /** The tools of a server are these now; true if they were others. */
  set(server: string, names: readonly string[]): boolean {
    const before = this.#names.get(server) ?? []
    if (before.length === names.length && before.every((name, at) => name === names[at])) return false
    for (const name of before) this.#remove(server, name)
    this.#names.set(server, names)
    for (const name of names) {
      const alike = this.#bySkeleton.get(skeleton(name)) ?? new Map<string, string>()
      this.#bySkeleton.set(skeleton(name), alike.set(server, name))
      this.#owners.set(name, (this.#owners.get(name) ?? new Set()).add(server))
    }
    return true
  }

  delete(server: string): void {
    this.set(server, [])
    this.#names.delete(server)
  }

  /** Which servers come before which, whenever their tools become known. */
  arrange(servers: readonly string[]): void {
    const known = new Map(this.#names)
    this.#names.clear()
    for (const server of [...servers, ...known.keys()]) this.#names.set(server, known.get(server) ?? [])
  }

  /** A tool of an earlier server with another name that can be taken for this one; the first to come keeps its name. */
  lookAlike({ server, name }: Owned): Owned | undefined {
    const alike = this.#bySkeleton.get(skeleton(name))
    if (!alike || (alike.size === 1 && alike.has(server))) return undefined
    for (const known of this.#names.keys()) {
      if (known === server) return undefined
      const other = alike.get(known)
      if (other !== undefined && other !== name) return { server: known, name: other }
    }
    return undefined
  }

  /** A tool of another server, and of no other tool of its own, that its description speaks of. */
  mentioned({ server, description = '' }: Owned): Owned | undefined {
    for (const [word] of description.slice(0, LONGEST).matchAll(/[\w-]{6,}/g)) {
      const owners = /[_-]/.test(word) ? this.#owners.get(word) : undefined
      const [owner] = owners ?? []
      if (owner !== undefined && !owners?.has(server)) return { server: owner, name: word }
    }
    return undefined
  }

  #remove(server: string, name: string): void {
    const alike = this.#bySkeleton.get(skeleton(name))
    alike?.delete(server)
    if (alike?.size === 0) this.#bySkeleton.delete(skeleton(name))
    const owners = this.#owners.get(name)
    owners?.delete(server)
    if (owners?.size === 0) this.#owners.delete(name)
  }
}

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

const LOOK_ALIKE: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  i: 'l',
  5: 's',
  '-': '_',
  а: 'a',
  е: 'e',
  о: 'o',
  с: 'c',
  р: 'p',
  х: 'x',
}

/** A name with letters that look alike made the same. */
const skeleton = (name: string): string =>
  Array.from(name.normalize('NFKC').toLowerCase().replaceAll('rn', 'm'), letter => LOOK_ALIKE[letter] ?? letter).join(
    '',
  )
