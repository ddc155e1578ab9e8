import type { Implementation, Params } from '@causeway/engine'
import type { Target } from '@causeway/engine/client'
import type { ParkedRelay } from '../calls/parked-relay.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { LoginServices } from '../logins/upstream-login.ts'
import type { Guardian } from '@causeway/engine/process'
import type { SharedSessions } from '../sessions/shared-sessions.ts'
import type { ListCache } from '../source/list-cache.ts'
import type { SkillNames } from '../skills/skill-names.ts'
import type { UriRules } from '../source/uri-ownership.ts'
import type { JudgementRules } from '../trust/judgement.ts'

/** What the gateway gives all of its upstreams. */
export interface UpstreamServices extends JudgementRules {
  readonly cache: ListCache
  /** How many characters of instructions each server may add; 0 for none. */
  instructionsRoom(): number
  /** The client that servers see. */
  readonly client: Implementation
  readonly guardian: Guardian
  /** What logins to servers have in common. */
  readonly logins: LoginServices
  /** Are all clients one person's, so that they share processes? */
  readonly oneUser: boolean
  /** Can calls of tools be tasks of the gateway? */
  readonly runsTasks: boolean
  /** How long a call that asked waits for its client. */
  readonly parkedMs: number
  /** The name of this process, where several share their calls. */
  readonly processId: string | undefined
  /** Reaches calls that are parked in other processes. */
  readonly relay?: ParkedRelay | undefined
  /** Sessions with servers that other processes use, too. */
  readonly sessions?: SharedSessions | undefined
  /** How a server is reached, if not as its entry says. */
  reach?: ((config: UpstreamConfig) => Target | undefined) | undefined
  /** The file for what a server writes outside of the protocol, by its name. */
  logFile(server: string): string | undefined
  /** Why the operator does not offer a tool, by the name clients would use, if so. */
  leftOut?: ((name: string, definition: Params) => string | undefined) | undefined
  /** Which server a URI belongs to. */
  readonly uris: UriRules
  /** Which URIs the skills of all servers have here. */
  readonly skillNames: SkillNames
  /** Other servers than this one that have a skill at that URI. */
  othersWithSkill(uri: string, server: string): Promise<readonly string[]>
  /** Skills of other servers may have other URIs now. */
  onSkillsRenamed(server: string): void
  /** A server says that a resource changed. */
  onUpdated(uri: string, server: string): void
  /** The lists of a server are known. */
  onLoaded(server: string): void
  /** It has other tools than before. */
  onRenamed(server: string): void
}
