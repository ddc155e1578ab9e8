import { judgeOf } from '../../packages/engine/test/support/official-schema.ts'

/** A message, as far as anyone can tell. */
export type Json = Record<string, unknown>

/** What a request waits for. */
interface Expected {
  readonly method: string
  /** Cancelled, or by its nature without an end: it may stay unanswered. */
  optional: boolean
  /** Is it known in which revision the answer will be? */
  readonly judged: boolean
  answers: number
}

const MARKER = /mk-[0-9a-f]{8}/g
// Methods whose results have a shape in every official schema that knows them.
const JUDGED = /^(?:initialize|ping|server\/discover|tools\/|prompts\/|resources\/|completion\/|logging\/)/
const LONGEST_SHOWN = 400

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function idIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isMap(value) ? value.id : undefined
  } catch {
    return undefined
  }
}

/** One client's talk with a server: what it sent, what it waits for, and what was wrong with what came back. */
export class Conversation {
  readonly name: string
  readonly version: string
  /** Stands in this conversation's own messages only: to see it in another one is a leak. */
  readonly marker: string
  readonly problems: string[] = []
  readonly sent: string[] = []
  /** What was sent damaged: an id in it may not be the one that was meant. */
  readonly damaged: string[] = []
  /** Ids that damage made: an answer with one of them may belong to either of two requests. */
  readonly #ambiguous = new Set<unknown>()
  /** Answers a question of the server's. */
  reply: ((question: Json) => void) | undefined
  readonly #expected = new Map<unknown, Expected>()
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor(name: string, version: string, marker: string) {
    this.name = name
    this.version = version
    this.marker = marker
  }

  /** Remember what is about to be sent. */
  note(text: string): void {
    this.sent.push(text.slice(0, LONGEST_SHOWN))
  }

  /** A request that must be answered once. */
  expect(id: unknown, method: string, terms: { optional?: boolean; judged?: boolean } = {}): void {
    const { optional = false, judged = true } = terms
    this.#expected.set(id, { method, optional: optional || this.#ambiguous.has(id), judged, answers: 0 })
  }

  /** Remember a damaged message, which the server may read as a request with another request's id. */
  damage(text: string, meant: unknown): void {
    this.damaged.push(text)
    const id = idIn(text)
    if (id === undefined || id === meant) return
    this.#ambiguous.add(id)
    this.excuse(id)
  }

  /** From now on an answer to this request is welcome, not owed. */
  excuse(id: unknown): void {
    const expected = this.#expected.get(id)
    if (expected) expected.optional = true
    this.#look()
  }

  /** An answer without a body, or a refusal, for this request. */
  settle(id: unknown): void {
    const expected = this.#expected.get(id)
    if (expected) expected.answers = Math.max(1, expected.answers)
    this.#look()
  }

  get pending(): unknown[] {
    return [...this.#expected].filter(([, { optional, answers }]) => !optional && answers === 0).map(([id]) => id)
  }

  /** Ids that were sent, newest last. */
  get ids(): unknown[] {
    return [...this.#expected.keys()]
  }

  /** Take what the server said: a message or a batch as text. */
  receive(text: string): void {
    if (this.#closed) return
    for (const [marker] of text.matchAll(MARKER)) {
      if (marker !== this.marker && !this.damaged.some(sent => sent.includes(marker)))
        this.#wrong(`saw ${marker}, which is another conversation's`, text)
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return this.#wrong('not JSON', text)
    }
    for (const message of [value].flat()) this.#take(message, text)
    this.#look()
  }

  #take(message: unknown, text: string): void {
    if (!isMap(message) || message.jsonrpc !== '2.0') return this.#wrong('not a JSON-RPC message', text)
    if (typeof message.method === 'string') {
      for (const why of judgeOf(this.version).sent(message)) this.#wrong(why, text)
      if ('id' in message) this.reply?.(message)
    } else this.#answered(message, text)
  }

  #answered(message: Json, text: string): void {
    const { id } = message
    const expected = this.#expected.get(id)
    if (!expected) {
      const isRefusal = 'error' in message || id === null || id === undefined
      return isRefusal || this.#isDamaged(id) ? undefined : this.#wrong('an answer to nothing that was asked', text)
    }
    expected.answers += 1
    if (this.#ambiguous.has(id)) return
    if (expected.answers > 1 && !this.#isDamaged(id)) this.#wrong(`request ${String(id)} was answered twice`, text)
    if (!expected.judged || !JUDGED.test(expected.method)) return
    for (const why of judgeOf(this.#spokenIn(message)).answer(message, expected.method)) this.#wrong(why, text)
  }

  #isDamaged(id: unknown): boolean {
    const written = JSON.stringify(id)
    return this.damaged.some(text => text.includes(written))
  }

  /** A handshake is answered in the revision it agrees on. */
  #spokenIn({ result }: Json): string {
    return isMap(result) && typeof result.protocolVersion === 'string' ? result.protocolVersion : this.version
  }

  /** Resolves when nothing is owed, or with what still is after `ms`. */
  finished(ms: number): Promise<unknown[]> {
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(clock)
        this.#waiting.delete(look)
        resolve(this.pending)
      }
      const look = (): void => {
        if (this.pending.length === 0 || this.#closed) done()
      }
      const clock = setTimeout(done, ms)
      this.#waiting.add(look)
      look()
    })
  }

  /** Nothing more is owed. */
  close(): void {
    this.#closed = true
    this.#look()
  }

  #look(): void {
    for (const look of this.#waiting) look()
  }

  #wrong(why: string, text: string): void {
    this.problems.push(`${why} in ${text.slice(0, LONGEST_SHOWN)}`)
  }
}
