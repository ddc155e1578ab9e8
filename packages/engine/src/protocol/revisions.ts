import type { Revision } from '../call.ts'
import type { Chained } from './revision.ts'
import { v2024_11_05 as oldest } from './revisions/2024-11-05.ts'
import { v2025_03_26 } from './revisions/2025-03-26.ts'

function andNewer(revision: Chained): Chained[] {
  // The last one that every other is described from is the neutral model, which is never spoken.
  return revision.next ? [...andNewer(revision.next), revision] : []
}

/** Every published revision, newest first. */
export const revisions: readonly Revision[] = andNewer(oldest)

/** Every published revision's date, newest first. */
export const versions: readonly string[] = revisions.map(({ version }) => version)

const newestStateful = revisions.find(({ era }) => era === 'stateful') ?? oldest
const firstStateless = revisions.findLast(({ era }) => era === 'stateless')?.version ?? ''

/** What a peer speaks that calls without any handshake. */
export const handshakeless: Revision = v2025_03_26

/** The revision published under that date. */
export const find = (version: unknown): Revision | undefined => revisions.find(r => r.version === version)

/** Is that the date of a revision without a handshake, or of one yet to come? */
export const isStatelessVersion = (version: string): boolean => version >= firstStateless

/** What people call the era of a published revision: `stateless`, or `handshake`. */
export const eraName = (version: string): string => (isStatelessVersion(version) ? 'stateless' : 'handshake')

/** Is that the date of a revision with a handshake and a session? */
export const isSessionVersion = (version: unknown): boolean => find(version)?.era === 'stateful'

/** What a server offers whose newest revision with a handshake is that one; those without are always there. */
export const offered = (newest: string = newestStateful.version): readonly Revision[] =>
  revisions.filter(r => r.era === 'stateless' || r.version <= newest)

/** The answer to a handshake: what was asked for if we offer it, else the newest we offer. */
export function negotiate(asked: unknown, newest?: string): Revision {
  const known = offered(newest).filter(r => r.era === 'stateful')
  return known.find(r => r.version === asked) ?? known[0] ?? newestStateful
}
