import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'

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
const IV_BYTES = 12
const TAG_BYTES = 16

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
      const iv = randomBytes(IV_BYTES)
      const sealing = shared?.current() ?? { id: '', key: ownKey() }
      const cipher = createCipheriv('aes-256-gcm', sealing.key, iv)
      cipher.setAAD(digest(binding))
      const text = JSON.stringify({ answers, carried, expires: now() + TTL_MS })
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const written = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
      return sealing.id === '' ? written : `${sealing.id}.${written}`
    },
    open(state, binding) {
      if (state === undefined) return { answers: {} }
      const { id, sealed } = split(typeof state === 'string' ? state : '')
      const sealingKey = id === '' ? ownKey() : shared?.find(id)
      const opened = sealingKey && decrypt(sealed, sealingKey, digest(binding))
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

function decrypt(state: string, key: Buffer, bound: Buffer): unknown {
  const bytes = Buffer.from(state, 'base64url')
  // Decoding is lenient, so a changed string could stand for the same bytes: only the one we wrote is ours.
  if (bytes.toString('base64url') !== state || bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
    decipher.setAAD(bound)
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function digest({ method, params, principal }: Binding): Buffer {
  const { _meta, ...own } = params
  return createHash('sha256')
    .update(JSON.stringify([method, principal ?? null, canonical(own)]))
    .digest()
}

/** Members in one order, so that a client may write the same params in another. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.keys(value)
    .sort()
    .map(key => [key, canonical(value[key])])
}

const refused = (why: string): Error =>
  fault('invalid-params', `Invalid params: requestState ${why}. Send the request again without it.`)
