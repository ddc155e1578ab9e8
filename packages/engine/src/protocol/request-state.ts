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
  close(state: RoundState, binding: Binding): string
  open(state: unknown, binding: Binding): RoundState
}

const TTL_MS = 600_000
const IV_BYTES = 12
const TAG_BYTES = 16

/** A seal under `secret`; servers that share one can open each other's state. */
export function createSeal(secret: string | undefined, now: () => number = Date.now): Seal {
  let key: Buffer | undefined
  const sealingKey = (): Buffer =>
    (key ??= secret === undefined ? randomBytes(32) : createHash('sha256').update(secret).digest())
  return {
    close({ answers, carried }, binding) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealingKey(), iv)
      cipher.setAAD(digest(binding))
      const text = JSON.stringify({ answers, carried, expires: now() + TTL_MS })
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(state, binding) {
      if (state === undefined) return { answers: {} }
      const opened = typeof state === 'string' ? decrypt(state, sealingKey(), digest(binding)) : undefined
      if (!isObject(opened) || !isObject(opened.answers)) throw refused('was not issued for this request')
      if (typeof opened.expires !== 'number' || opened.expires < now()) throw refused('has expired')
      return { answers: opened.answers, carried: opened.carried }
    },
  }
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
