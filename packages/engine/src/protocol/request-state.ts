import { createHash, randomBytes } from 'node:crypto'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import { canonicalJson } from '../support/canonical-json.ts'
import { openSealed, sealText } from '../support/sealed-text.ts'

/** What sealed state belongs to: it opens only for the same request by the same principal. */
export interface Binding {
  readonly method: string
  readonly params: Params
  readonly principal: string | undefined
}

/** What a call that asks needs to know when it is run again. */
export interface RoundState {
  /** What the client answered so far. */
  readonly answers: Params
  /** The asking result's own state, such as an upstream's. */
  readonly carried?: unknown
}

/** Closes state into a string the client carries but can neither read nor change, and opens it again. */
export interface Seal {
  /** From now on seal with keys that other servers have too. */
  share(keys: SealKeys): void
  /** Wait for the key that params were sealed under, where it has to be looked up. */
  prepare(params: Params): Promise<void> | undefined
  close(state: RoundState, binding: Binding): string
  open(state: unknown, binding: Binding): RoundState
}

/** A key, and the id that sealed state names it by. */
export interface SealKey {
  readonly id: string
  readonly key: Buffer
}

/** Keys that several servers share. */
export interface SealKeys {
  current(): SealKey
  find(id: string): Buffer | undefined
  /** Look a key up that is not known yet. */
  fetch(id: string): Promise<void> | undefined
}

const TTL_MS = 600_000

/** A seal under `secret`; servers that share one can open each other's state. */
export function createSeal(secret: string | undefined, now: () => number = Date.now): Seal {
  let key: Buffer | undefined
  let shared: SealKeys | undefined
  const ownKey = (): Buffer =>
    (key ??= secret === undefined ? randomBytes(32) : createHash('sha256').update(secret).digest())
  return {
    share(keys) {
      // Who gives a secret shares that.
      if (secret === undefined) shared = keys
    },
    prepare({ requestState }) {
      const id = shared && typeof requestState === 'string' ? split(requestState).id : ''
      return id === '' || shared?.find(id) ? undefined : shared?.fetch(id)
    },
    close({ answers, carried }, binding) {
      const sealing = shared?.current() ?? { id: '', key: ownKey() }
      const text = JSON.stringify({ answers, carried, expires: now() + TTL_MS })
      const written = sealText(text, { key: sealing.key, context: digest(binding) })
      return sealing.id === '' ? written : `${sealing.id}.${written}`
    },
    open(state, binding) {
      if (state === undefined) return { answers: {} }
      const { id, sealed } = split(typeof state === 'string' ? state : '')
      const sealingKey = id === '' ? ownKey() : shared?.find(id)
      const text = sealingKey && openSealed(sealed, { key: sealingKey, context: digest(binding) })
      const opened: unknown = text === undefined ? undefined : JSON.parse(text)
      if (!isObject(opened) || !isObject(opened.answers)) throw refused('was not issued for this request')
      if (typeof opened.expires !== 'number' || opened.expires < now()) throw refused('has expired')
      return { answers: opened.answers, carried: opened.carried }
    },
  }
}

/** The id of the key, if one is named, and what was sealed with it. */
function split(state: string): { id: string; sealed: string } {
  const dot = state.indexOf('.')
  return dot < 0 ? { id: '', sealed: state } : { id: state.slice(0, dot), sealed: state.slice(dot + 1) }
}

function digest({ method, params, principal }: Binding): Buffer {
  const { _meta, ...own } = params
  return createHash('sha256')
    .update(canonicalJson([method, principal ?? null, own]))
    .digest()
}

const refused = (why: string): Error =>
  fault('invalid-params', `Invalid params: requestState ${why}. Send the request again without it.`)
