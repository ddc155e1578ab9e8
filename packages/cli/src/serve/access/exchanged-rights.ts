import type { Server } from '@causeway/engine'
import type { FollowedRights } from '@causeway/engine/policies'
import type { Config } from '../../config/config.ts'

/** The rights of another configuration hold from now on. */
export function exchangeRights(
  server: Pick<Server, 'changed'>,
  followed: FollowedRights | undefined,
  rights: Config['rights'],
): void {
  followed?.replace(rights)
  // What a caller may see may be another list now.
  for (const kind of ['tools', 'prompts', 'resources'] as const) server.changed(kind)
}
