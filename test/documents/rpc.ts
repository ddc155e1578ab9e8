import { JSON_HEADERS, exchange } from '../../packages/engine/test/support/http-exchange.ts'
import type { World } from './world.ts'

/** An answer of plain JSON-RPC. */
export interface RpcAnswer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Ask the command's HTTP process over /rpc. */
export async function rpc(world: World, method: string, params?: object): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) })
  const { text } = await exchange(await world.url(), { path: '/rpc', headers: JSON_HEADERS, body })
  return JSON.parse(text) as RpcAnswer
}

/** Call a tool there. */
export const rpcCall = (world: World, name: string, args: object = {}): Promise<RpcAnswer> =>
  rpc(world, 'tools/call', { name, arguments: args })

/** The text of the first block of a result. */
export const textOf = ({ result }: RpcAnswer): string =>
  (result?.content as readonly { readonly text?: string }[] | undefined)?.[0]?.text ?? ''

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: {
    readonly type: string
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
  }
}

/** The tools that are listed there. */
export const toolsOf = async (world: World): Promise<readonly ListedTool[]> =>
  (await rpc(world, 'tools/list')).result?.tools as readonly ListedTool[]
