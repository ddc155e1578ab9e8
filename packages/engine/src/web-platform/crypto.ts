// What the engine uses of node:crypto, for runtimes without it.
import { gcm } from '@noble/ciphers/aes.js'
import { sha256 } from '@noble/hashes/sha2.js'

type Encoding = 'hex' | 'base64' | 'base64url' | 'buffer'

const TAG_BYTES = 16

/** Random bytes of the runtime's own generator. */
export const randomBytes = (size: number): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(size)))

/** The digest of a value. */
export const hash = (algorithm: string, data: string | Uint8Array, encoding: Encoding): string | Buffer =>
  createHash(algorithm).update(data).digest(encoding)

/** A digest of several parts. */
export function createHash(algorithm: string): {
  update(data: string | Uint8Array): ReturnType<typeof createHash>
  digest(encoding?: Encoding): string | Buffer
} {
  if (algorithm !== 'sha256') throw new TypeError(`The digest ${algorithm} is not available in this runtime`)
  const digest = sha256.create()
  const own = {
    update(data: string | Uint8Array) {
      digest.update(bytesOf(data))
      return own
    },
    digest(encoding: Encoding = 'buffer') {
      const bytes = Buffer.from(digest.digest())
      return encoding === 'buffer' ? bytes : bytes.toString(encoding)
    },
  }
  return own
}

/** Are both the same? The time tells nothing but their lengths. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError('Both must have the same length')
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return difference === 0
}

/** AES-256-GCM in one piece: one `update`, then `final`. */
export class Cipher {
  readonly #key: Uint8Array
  readonly #iv: Uint8Array
  #context: Uint8Array | undefined
  #tag = Buffer.alloc(0)

  constructor(key: Uint8Array, iv: Uint8Array) {
    this.#key = key
    this.#iv = iv
  }

  setAAD(context: Uint8Array): this {
    this.#context = context
    return this
  }

  update(text: string | Uint8Array): Buffer {
    const sealed = Buffer.from(gcm(this.#key, this.#iv, this.#context).encrypt(bytesOf(text)))
    this.#tag = sealed.subarray(sealed.length - TAG_BYTES)
    return sealed.subarray(0, sealed.length - TAG_BYTES)
  }

  final(): Buffer {
    return Buffer.alloc(0)
  }

  getAuthTag(): Buffer {
    return this.#tag
  }
}

/** The way back, which throws if a bit was changed. */
export class Decipher {
  readonly #key: Uint8Array
  readonly #iv: Uint8Array
  #context: Uint8Array | undefined
  #tag: Uint8Array = new Uint8Array()

  constructor(key: Uint8Array, iv: Uint8Array) {
    this.#key = key
    this.#iv = iv
  }

  setAAD(context: Uint8Array): this {
    this.#context = context
    return this
  }

  setAuthTag(tag: Uint8Array): this {
    this.#tag = tag
    return this
  }

  update(sealed: Uint8Array): string {
    const whole = Buffer.concat([sealed, this.#tag])
    return Buffer.from(gcm(this.#key, this.#iv, this.#context).decrypt(whole)).toString('utf8')
  }

  final(): string {
    return ''
  }
}

/** A cipher as node:crypto makes it. */
export const createCipheriv = (_: string, key: Uint8Array, iv: Uint8Array): Cipher => new Cipher(key, iv)

/** A decipher as node:crypto makes it. */
export const createDecipheriv = (_: string, key: Uint8Array, iv: Uint8Array): Decipher => new Decipher(key, iv)

const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? Buffer.from(data, 'utf8') : data)
