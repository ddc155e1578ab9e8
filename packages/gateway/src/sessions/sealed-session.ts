import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { KnownSession } from '@causeway/engine/client'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { canonical } from '../trust/lock/fingerprint.ts'

/** A session with a server as it is kept for other processes. */
export interface SessionRecord {
  readonly session: KnownSession
  /** The nodes that use it. */
  readonly users: readonly string[]
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Writes the sessions of one server and client down so that only a gateway with the same entry of that server, its
 * credentials included, can read them, and only for the same client.
 */
export class RecordSeal {
  /** The name it is kept under, which tells nobody anything. */
  readonly name: string
  readonly #key: Buffer
  readonly #client: Buffer

  constructor({ name, target, revision }: UpstreamConfig, client: string) {
    const entry = canonical(['causeway upstream session', name, target, revision ?? null])
    this.#key = derive(entry, 'seal')
    this.#client = Buffer.from(client)
    this.name = `upstream:${derive(entry, `name ${client}`).subarray(0, 24).toString('base64url')}`
  }

  close(record: SessionRecord): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(this.#client)
    const sealed = Buffer.concat([cipher.update(JSON.stringify(record), 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** What was written; undefined for what was not written for this client and entry. */
  open(text: string | undefined): SessionRecord | undefined {
    const bytes = Buffer.from(text ?? '', 'base64url')
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES)).setAAD(this.#client)
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const read = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      return JSON.parse(read) as SessionRecord
    } catch {
      return undefined
    }
  }
}

const derive = (entry: string, purpose: string): Buffer => createHmac('sha256', entry).update(purpose).digest()
