import { createHmac } from 'node:crypto'
import type { KnownSession } from '@causeway/engine/client'
import { canonicalJson, openSealed, sealText } from '@causeway/engine/internal'
import type { SealedFor } from '@causeway/engine/internal'
import type { UpstreamConfig } from '../config/upstream-config.ts'

/** A session with a server as it is kept for other processes. */
export interface SealedSession {
  readonly session: KnownSession
  /** The processes that use it. */
  readonly users: readonly string[]
}

/**
 * Writes the sessions of one server and client down so that only a gateway with the same entry of that server, its
 * credentials included, can read them, and only for the same client.
 */
export class SessionSeal {
  /** The name it is kept under, which reveals nothing. */
  readonly name: string
  readonly #seal: SealedFor

  constructor({ name, target, revision }: UpstreamConfig, client: string) {
    const entry = canonicalJson(['causeway upstream session', name, target, revision ?? null])
    this.#seal = { key: derive(entry, 'seal'), context: Buffer.from(client) }
    this.name = `upstream:${derive(entry, `name ${client}`).subarray(0, 24).toString('base64url')}`
  }

  close(record: SealedSession): string {
    return sealText(JSON.stringify(record), this.#seal)
  }

  /** What was written; undefined for what was not written for this client and entry. */
  open(text: string | undefined): SealedSession | undefined {
    const read = openSealed(text ?? '', this.#seal)
    return read === undefined ? undefined : (JSON.parse(read) as SealedSession)
  }
}

const derive = (entry: string, purpose: string): Buffer => createHmac('sha256', entry).update(purpose).digest()
