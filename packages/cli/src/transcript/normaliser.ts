import type { Id, Message } from '@causeway/engine'
import { isObject, isSecretName, maskSecrets } from '@causeway/engine/internal'
import type { Entry } from './transcript.ts'

const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)/g
/** What stands for every time. */
export const SOME_TIME = '2000-01-01T00:00:00.000Z'
const MASK = '[redacted]'
// What a server makes up and a client gives back unread.
const OPAQUE: ReadonlySet<string> = new Set(['requestState', 'nextCursor', 'cursor'])
const REFERENCES: ReadonlySet<string> = new Set([
  'progressToken',
  'requestId',
  'io.modelcontextprotocol/subscriptionId',
])

/**
 * Makes two conversations comparable: requests are numbered in their order, times are one time, and ids that a server made
 * up are numbered by their first appearance. What looks like a secret is masked.
 */
export class Normaliser {
  readonly #ids = { client: new Map<Id, Id>(), server: new Map<Id, Id>() }
  readonly #tokens = new Map<unknown, string>()
  readonly #made = new Map<string, string>()

  entry({ from, message }: Entry): Entry {
    const { id, ...rest } = message as unknown as { id?: Id } & Record<string, unknown>
    const other = from === 'client' ? 'server' : 'client'
    const own = 'method' in rest ? this.#number(id, from) : this.#ids[other].get(id as Id)
    const value = this.#value(rest, { from, key: '' }) as Record<string, unknown>
    return { from, message: { ...(id !== undefined && { id: own ?? id }), ...value } as unknown as Message }
  }

  #number(id: Id | undefined, from: Entry['from']): Id | undefined {
    if (id === undefined) return undefined
    const ids = this.#ids[from]
    const number = ids.size + 1
    ids.set(id, from === 'client' ? number : `s${number}`)
    return ids.get(id)
  }

  #value(value: unknown, at: { readonly from: Entry['from']; readonly key: string }): unknown {
    if (REFERENCES.has(at.key)) return this.#reference(value, at)
    if (typeof value === 'string') return this.#text(value, at)
    if (Array.isArray(value)) return value.map(one => this.#value(one, at))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.#value(member, { from: at.from, key })]),
    )
  }

  #reference(value: unknown, { from, key }: { readonly from: Entry['from']; readonly key: string }): unknown {
    if (key === 'requestId') return this.#ids[from].get(value as Id) ?? value
    if (key !== 'progressToken') return this.#ids.client.get(value as Id) ?? value
    const token = this.#tokens.get(value) ?? `p${this.#tokens.size + 1}`
    this.#tokens.set(value, token)
    return token
  }

  #text(text: string, { from, key }: { readonly from: Entry['from']; readonly key: string }): string {
    if (OPAQUE.has(key)) return this.#numbered(text, number => `${key === 'nextCursor' ? 'cursor' : key}-${number}`)
    if (isSecretName(key) && text !== '') return MASK
    const masked = maskSecrets(text)
    // What a client says is meant as it is, unless a server said it before.
    if (from === 'client') return masked.replaceAll(UUID, uuid => this.#made.get(uuid.toLowerCase()) ?? uuid)
    return masked.replaceAll(UUID, uuid => this.#numbered(uuid.toLowerCase(), shownUuid)).replaceAll(TIME, SOME_TIME)
  }

  #numbered(text: string, show: (number: number) => string): string {
    const known = this.#made.get(text) ?? show(this.#made.size + 1)
    this.#made.set(text, known)
    return known
  }
}

const shownUuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
