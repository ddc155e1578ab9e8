import type { Id, Message } from '@causeway/engine'
import type { Target } from '@causeway/engine/client'
import { canonicalJson } from '@causeway/engine/internal'
import { differences, substituted, substitutes } from './differences.ts'
import type { Difference } from './differences.ts'
import { Normaliser } from './normaliser.ts'
import type { Entry, Transcript } from './transcript.ts'
import { WireConnection } from './wire-connection.ts'

/** What a server says now otherwise than it did. */
export interface Finding {
  /** The message, by its place in the transcript; 0 for one that was not recorded. */
  readonly entry: number
  /** The request or notification that it is about. */
  readonly about: string
  readonly what: 'differs' | 'missing' | 'unexpected'
  readonly differences: readonly Difference[]
}

type Any = Readonly<Record<string, unknown>> & { readonly id?: Id; readonly method?: string }

const any = (message: Message): Any => message as unknown as Any
const isAsked = (message: Message): boolean => any(message).method !== undefined && any(message).id !== undefined
const isNotice = (message: Message): boolean => any(message).method !== undefined && any(message).id === undefined

/** A message that came: as it came, and made comparable. */
interface Came {
  readonly raw: Message
  readonly normal: Message
  /** What a notification says, as a text. */
  readonly notice: string | undefined
}

// A server that says more than this without being asked is not listened to any longer.
const MOST_CAME = 10_000
// What did not come this often is not waited for any more.
const MOST_MISSING = 20

/** Plays what a client said to a server, and compares what the server says with what it said then. */
export class Replay {
  readonly #transcript: Transcript
  readonly #timeoutMs: number
  readonly #connection: WireConnection
  readonly #normaliser = new Normaliser()
  readonly #findings: Finding[] = []
  readonly #known = new Map<string, string>()
  /** What came and was not looked at. */
  readonly #came: Came[] = []
  readonly #about = new Map<unknown, string>()
  readonly #questions = new Map<Id, Id>()
  #closed: Error | undefined
  #missing = 0
  #hasHeard = false
  #wake: () => void = () => {}

  constructor(transcript: Transcript, target: Target, timeoutMs: number) {
    this.#transcript = transcript
    this.#timeoutMs = timeoutMs
    this.#connection = new WireConnection(target, {
      onMessage: raw => {
        this.#hasHeard = true
        this.#take(raw, this.#normaliser.entry({ from: 'server', message: raw }).message)
      },
      onLost: (id, why) => {
        const lost = { jsonrpc: '2.0', id, error: { code: 0, message: why.message } } as unknown as Message
        this.#take(lost, lost)
      },
      onClose: why => {
        this.#closed = why
        this.#wake()
      },
    })
  }

  #take(raw: Message, normal: Message): void {
    if (this.#came.length >= MOST_CAME)
      this.#closed ??= new Error(`it sent ${MOST_CAME} messages that are not expected`)
    else this.#came.push({ raw, normal, notice: isNotice(normal) ? canonicalJson(normal) : undefined })
    this.#wake()
  }

  async run(): Promise<readonly Finding[]> {
    await this.#connection.open()
    try {
      for (const [at, entry] of this.#transcript.entries.entries()) {
        if (entry.from === 'client') this.#send(entry)
        else if (!isNotice(entry.message)) await this.#expect(entry.message, at + 1)
      }
      // A command that ends before it said anything is no server.
      if (this.#closed && !this.#hasHeard) throw this.#closed
      await this.#notices()
      return this.#findings
    } finally {
      await this.#connection.close()
    }
  }

  #send({ message }: Entry): void {
    const { id, method } = any(message)
    if (method !== undefined && id !== undefined) this.#about.set(id, nameOf(any(message)))
    const said = substituted(message, this.#known) as Message
    this.#normaliser.entry({ from: 'client', message })
    const question = method === undefined && id !== undefined ? this.#questions.get(id) : undefined
    this.#connection.send(question === undefined ? said : { ...said, id: question })
  }

  /** An answer by its id, a question by its method. */
  async #expect(recorded: Message, entry: number): Promise<void> {
    const { id, method } = any(recorded)
    const fits = (normal: Message): boolean =>
      isAsked(recorded) ? isAsked(normal) && any(normal).method === method : !isAsked(normal) && any(normal).id === id
    const about = method ?? this.#about.get(id) ?? 'an answer'
    const found = await this.#wait(({ normal, notice }) => notice === undefined && fits(normal), this.#late())
    if (!found) return this.#miss(entry, about)
    if (isAsked(recorded) && id !== undefined) this.#questions.set(id, any(found.raw).id as Id)
    substitutes(recorded, found.raw, this.#known)
    const differ = differences(withoutId(recorded), withoutId(found.normal))
    if (differ.length > 0) this.#findings.push({ entry, about, what: 'differs', differences: differ })
  }

  #late(): number {
    return this.#missing >= MOST_MISSING ? 0 : performance.now() + this.#timeoutMs
  }

  #miss(entry: number, about: string): void {
    this.#missing += 1
    this.#findings.push({ entry, about, what: 'missing', differences: [] })
  }

  async #wait(fits: (came: Came) => boolean, late: number): Promise<Came | undefined> {
    for (;;) {
      const at = this.#came.findIndex(fits)
      if (at >= 0) return this.#came.splice(at, 1)[0]
      const left = late - performance.now()
      if (this.#closed || left <= 0) return undefined
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Notifications may overtake answers: they are compared as a whole, in no order. */
  async #notices(): Promise<void> {
    // All that is still on its way has the same time.
    const late = this.#late()
    for (const [at, { from, message }] of this.#transcript.entries.entries()) {
      if (from === 'client' || !isNotice(message)) continue
      const wanted = canonicalJson(message)
      const found = await this.#wait(({ notice }) => notice === wanted, late)
      if (!found) this.#miss(at + 1, String(any(message).method))
    }
    for (const { normal } of this.#came) {
      const about = any(normal).method ?? this.#about.get(any(normal).id) ?? 'an answer'
      this.#findings.push({
        entry: 0,
        about,
        what: 'unexpected',
        differences: differences(undefined, any(normal).params),
      })
    }
  }
}

const withoutId = (message: Message): unknown => ({ ...any(message), id: undefined })

function nameOf({ method = '', params }: Any): string {
  const { name, uri } = (params ?? {}) as { name?: unknown; uri?: unknown }
  const subject = name ?? uri
  return typeof subject === 'string' ? `${method} ${subject}` : method
}
