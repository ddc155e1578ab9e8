import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createServer } from '@causeway/engine'
import type { Ask, Feature, Params, Result, Server } from '@causeway/engine'
import { RemoteServer, memoryTransport } from '@causeway/engine/client'
import type { RemoteOptions } from '@causeway/engine/client'
import { Gateway, readServers } from '@causeway/gateway'
import type { GatewayOptions } from '@causeway/gateway'
import { onTestFinished } from 'vitest'
import { upstreamScript } from '../../../../test/support/upstream-script.ts'

/** Have something done when the test is over. */
export const later = (cleanup: () => Promise<unknown>): void => onTestFinished(async () => void (await cleanup()))

/** The path of a server that tests are run against. */
export const script: typeof upstreamScript = upstreamScript

/** A server that listens, by its script; its URL. */
export async function listening(name: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [script(name), '--http', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  later(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return line
}

/** The entry of a server in a file, over stdio or HTTP. */
export const entryOf = async (name: string, door: string): Promise<Params> =>
  door === 'stdio' ? { command: process.execPath, args: [script(name)] } : { url: await listening(name) }

/** A gateway in front of servers, as a file has them. */
export async function gatewayTo(
  mcpServers: Params,
  options: GatewayOptions = {},
  own: readonly Feature[] = [],
): Promise<{ server: Server; gateway: Gateway }> {
  const server = createServer({ name: 'gateway', version: '1.0.0', secret: 'of the tests', log: () => {} })
  server.add(...own)
  const gateway = new Gateway(server, options)
  later(() => gateway.close())
  await gateway.apply(configsOf(mcpServers))
  return { server, gateway }
}

/** The process of a server that has one. */
export function childOf(upstream: object | undefined): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number)
  const own = children.filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('upstreams'))
  if (!upstream || own.length !== 1 || own[0] === undefined) throw new Error(`There are ${own.length} processes`)
  return own[0]
}

/** Entries as they are read. */
export function configsOf(mcpServers: Params): ReturnType<typeof readServers>['upstreams'] {
  const variables = (name: string): string | undefined => process.env[name]
  const { upstreams, problems } = readServers(
    { mcpServers },
    { file: '/tmp/servers.json', variables, readText: () => undefined },
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return upstreams
}

/** Answers whatever it is asked. */
export const answer = ({ method, params }: Ask): Result => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///home' }] }
  if (method === 'sampling/createMessage')
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hm!' }, stopReason: 'endTurn' }
  return { action: 'accept', content: { value: String(params.message) } }
}

/** A client of a server in this process. */
export async function clientOf(server: Server, options: Partial<RemoteOptions> = {}): Promise<RemoteServer> {
  const remote = await RemoteServer.connect(
    { open: () => memoryTransport(server) },
    { client: { name: 'near', version: '1' }, answer, ...options },
  )
  later(() => remote.close())
  return remote
}

/** The text of a result. */
export const textOf = ({ content }: Result): string => String((content as Params[])[0]?.text)
