import { RpcError } from '@causeway/engine'
import type { Awaitable, Call, Handle, Result } from '@causeway/engine'
import type { Upstream } from '../upstream/upstream.ts'

/** Call a tool or prompt; where no server has that name, say which one without a prefix may, if its lists are unknown. */
export function callBare(call: Call, next: Handle, servers: readonly Upstream[]): Awaitable<Result> {
  const failed = (error: unknown): never => {
    throw absent(call, error, servers) ?? error
  }
  try {
    const result = next(call)
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}

function absent({ method, params, caller }: Call, error: unknown, servers: readonly Upstream[]): Error | undefined {
  const isTool = method === 'tools/call'
  const name = String(params.name)
  if (!isUnknown(error, isTool)) return undefined
  // A view says nothing of what is outside of it.
  if (caller.view && !caller.view.offers(isTool ? 'tools' : 'prompts', name)) return undefined
  const detail = `, and may have the ${isTool ? 'tool' : 'prompt'} '${name.slice(0, 100)}'`
  for (const server of servers) {
    const why = server.unknown(detail)
    if (why) return why
  }
  return undefined
}

const isUnknown = (error: unknown, isTool: boolean): boolean =>
  error instanceof RpcError && error.kind === (isTool ? 'unknown-tool' : 'unknown-prompt')
