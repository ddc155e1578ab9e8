import { RpcError } from '@causeway/engine'
import type { Awaitable, Call, Handle, Result } from '@causeway/engine'
import type { Managed } from '../upstream/upstream.ts'

/** Call a tool or prompt; where nobody has that name, say which server without a prefix may, if nothing is known of it. */
export function callBare(call: Call, next: Handle, servers: readonly Managed[]): Awaitable<Result> {
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

function absent({ method, params, caller }: Call, error: unknown, servers: readonly Managed[]): Error | undefined {
  const isTool = method === 'tools/call'
  const name = String(params.name)
  if (!isUnknown(error, isTool)) return undefined
  // Of what is no part of a view nothing is told.
  if (caller.view && !caller.view.offers(isTool ? 'tools' : 'prompts', name)) return undefined
  const besides = `, and may have the ${isTool ? 'tool' : 'prompt'} '${name.slice(0, 100)}'`
  for (const server of servers) {
    const why = server.unknown(besides)
    if (why) return why
  }
  return undefined
}

const isUnknown = (error: unknown, isTool: boolean): boolean =>
  error instanceof RpcError && (isTool ? error.kind === 'unknown-tool' : error.message.startsWith('Prompt not found: '))
