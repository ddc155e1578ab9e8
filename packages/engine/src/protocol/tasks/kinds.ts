import type { Caller } from '../../call.ts'
import { declaresExtension, isForRevision } from '../envelope.ts'

/** The extension that tasks are in revisions that do not have them themselves. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
/** The capability that tasks are in revisions that have them themselves. */
export const TASKS_CAPABILITY = 'tasks'
/** Names, inside `_meta`, the task that a message belongs to. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** For which era the extension is. */
export const TASKS_ERA = 'stateless'

/** Who says that a call becomes a task: the client, which asks for one, or the server; undefined for clients that know no tasks. */
export function whoBeginsTasks(caller: Caller): 'client' | 'server' | undefined {
  if (caller.revision.capabilities.has(TASKS_CAPABILITY)) return 'client'
  const isSpoken = isForRevision({ era: TASKS_ERA }, caller.revision) && declaresExtension(caller, TASKS_EXTENSION)
  return isSpoken ? 'server' : undefined
}
