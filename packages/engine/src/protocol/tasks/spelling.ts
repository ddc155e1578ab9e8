import { isObject } from '../../jsonrpc/message.ts'
import { omit } from '../downgrade.ts'
import type { Rewrite } from '../revision.ts'

const INLINED = omit('result', 'error', 'inputRequests', 'resultType')

/** A task as the revision spells it whose clients ask for tasks: what becomes of it is fetched apart. */
export const writeTask: Rewrite = task => {
  const { ttlMs, pollIntervalMs, ...rest } = INLINED(task)
  const { result } = task
  const hasFailed = task.status === 'completed' && isObject(result) && result.isError === true
  return {
    ...rest,
    ...(hasFailed && { status: 'failed' }),
    ...(ttlMs !== undefined && { ttl: ttlMs }),
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  }
}

/** And back again. */
export const readTask: Rewrite = ({ ttl, pollInterval, ...rest }) => ({
  ...rest,
  ...(ttl !== undefined && { ttlMs: ttl }),
  ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }),
})

/** A result that says that a task was begun, as that revision spells it. */
export const writeBegun: Rewrite = result => {
  if (result.resultType !== 'task') return result
  const { _meta, ...task } = result
  return { task: writeTask(task), ...(_meta !== undefined && { _meta }) }
}

/** And back again. */
export const readBegun: Rewrite = result => {
  const { task, _meta } = result
  if (!isObject(task)) return result
  return { resultType: 'task', ...readTask(task), ...(_meta !== undefined && { _meta }) }
}
