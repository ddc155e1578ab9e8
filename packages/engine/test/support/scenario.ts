import type { Server } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { carriers } from './carriers.ts'
import type { Carrier } from './carriers.ts'
import { Peer, STATELESS } from './peer.ts'
import type { PeerOptions } from './peer.ts'

/** Every published revision, oldest first. */
export const ALL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
/** Those with a handshake and a session. */
export const STATEFUL: readonly string[] = ALL.filter(version => version !== STATELESS)
/** That revision and those after it. */
export const from = (version: string): readonly string[] => ALL.filter(other => other >= version)
/** Those before that revision. */
export const until = (version: string): readonly string[] => ALL.filter(other => other < version)

/** One thing that must be so, over every carrier, in the revisions that have it. */
export interface Scenario extends PeerOptions {
  readonly in?: readonly string[]
  /** The carriers it is about, where it is not about all. */
  readonly over?: readonly Carrier[]
  readonly server: () => Server
}

/** Play a scenario over every carrier in each of its revisions; whatever the server sends must fit the official schema. */
export function scenario(title: string, options: Scenario, play: (peer: Peer, server: Server) => Promise<void>): void {
  describe.each([title])('%s', () => {
    for (const version of options.in ?? ALL) {
      const suited = (options.over ?? carriers).filter(carrier => carrier.carries({ version, ...options }))
      test.each(suited)(`${version} over $name`, async carrier => {
        const server = options.server()
        const peer = new Peer(carrier, server, version, options)
        if (options.handshake !== false) await peer.initialize()
        await play(peer, server)
        await peer.close()
        expect(peer.objections).toEqual([])
      })
    }
  })
}
