import type { Params } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import type { Target } from '@causeway/engine/client'

/** Whatever serves messages. */
type Serving = Parameters<typeof memoryTransport>[0]
type Message = Parameters<Serving['handle']>[0]
type Send = Parameters<Serving['handle']>[1]['send']

/** A result at once or later; undefined where none is to come. */
type Scripted = Params | undefined | Promise<Params | undefined>

/** A server of either era that does what a test says. */
export interface Script {
  readonly capabilities?: Params
  /** The result of a request, where it is not an empty one. */
  result?(method: string, request: { readonly id: unknown; readonly params: Params }, send: Send): Scripted
  /** A response. */
  answered?(message: Message): void
}

/** Such a server, and the methods it was asked for, in order. */
export function scripted({ capabilities = {}, result, answered }: Script): { asked: string[]; reach: () => Target } {
  const asked: string[] = []
  const serverInfo = { name: 'scripted', version: '1' }
  const hello: Readonly<Record<string, Params>> = {
    initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo },
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities },
  }
  const serving: Serving = {
    async handle(message, { send }) {
      if ('method' in message) asked.push(message.method)
      else answered?.(message)
      if (!('method' in message) || !('id' in message)) return undefined
      const { id, method, params = {} } = message
      const standard = hello[method] ?? {}
      let own: Params | undefined
      try {
        own = result ? await result(method, { id, params }, send) : standard
      } catch (error) {
        const { code = -32603, message: words, data } = error as Error & { code?: number; data?: unknown }
        return { jsonrpc: '2.0', id, error: { code, message: words, ...(data !== undefined && { data }) } }
      }
      return own === undefined ? undefined : { jsonrpc: '2.0', id, result: { ...standard, ...own } }
    },
  }
  return { asked, reach: () => ({ open: () => memoryTransport(serving) }) }
}

/** The entry of such a server: what is started, nobody looks at. */
export const SCRIPTED = { command: 'none', revision: '2025-11-25' }
