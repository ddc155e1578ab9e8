import type { Revision } from '../call.ts'
import { v2024_11_05 } from './revisions/2024-11-05.ts'
import { v2025_03_26 } from './revisions/2025-03-26.ts'
import { v2025_06_18 } from './revisions/2025-06-18.ts'
import { v2025_11_25 } from './revisions/2025-11-25.ts'
import { v2026_07_28 } from './revisions/2026-07-28.ts'

/** Every published revision, newest first. */
export const revisions: readonly Revision[] = [v2026_07_28, v2025_11_25, v2025_06_18, v2025_03_26, v2024_11_05]

/** Every published revision's date, newest first. */
export const versions: readonly string[] = revisions.map(({ version }) => version)

/** What a peer speaks that calls without any handshake. */
export const handshakeless: Revision = v2025_03_26

/** The revision published under that date. */
export const find = (version: unknown): Revision | undefined => revisions.find(r => r.version === version)

/** Is that the date of a revision without a handshake, or of one yet to come? */
export const isModern = (version: string): boolean => version >= v2026_07_28.version

/** What a server offers whose newest revision with a handshake is that one; those without are always there. */
export const offered = (newest: string = v2025_11_25.version): readonly Revision[] =>
  revisions.filter(r => r.era === 'stateless' || r.version <= newest)

/** The answer to a handshake: what was asked for if we offer it, else the newest we offer. */
export function negotiate(asked: unknown, newest?: string): Revision {
  const stateful = offered(newest).filter(r => r.era === 'stateful')
  return stateful.find(r => r.version === asked) ?? stateful[0] ?? v2025_11_25
}
