import { Client as ClientV2 } from '@modelcontextprotocol/client'
import type { VersionNegotiationMode } from '@modelcontextprotocol/client'
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio'
import type { StdioServerParameters } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { ROOT } from '../support/spawned.ts'
import { asking } from './asking.ts'
import type { Asking } from './asking.ts'

/** What can be said about one call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void
}

/** A tool's answer, as the official clients give it. */
export interface Answer {
  readonly [member: string]: unknown
}

/** A connection of an official client to a process of ours. */
export interface Talk extends Asking {
  readonly version: string | undefined
  readonly server: string | undefined
  readonly pid: number
  /** What the process wrote on stderr so far. */
  stderr(): string
  tools(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

/** An official client in one of its modes. */
export interface Mode {
  readonly name: string
  /** What it must come to speak with us. */
  readonly version: string
  connect(args: readonly string[], answer?: string): Promise<Talk>
}

const INFO = { name: 'interop', version: '1.0.0' }
const CAPABILITIES = { elicitation: { form: {} } }

const launch = (args: readonly string[]): StdioServerParameters => ({
  command: process.execPath,
  args: [...args],
  cwd: ROOT,
  stderr: 'pipe',
})

/** Keeps what a process writes on stderr. */
function listening(transport: TransportV1 | TransportV2): () => string {
  let heard = ''
  transport.stderr?.on('data', (chunk: Uint8Array) => (heard += String(chunk)))
  return () => heard
}

const accept = (name: string) => () => ({ action: 'accept' as const, content: { name } })

const v1: Mode = {
  name: 'sdk 1',
  version: '2025-11-25',
  async connect(args, answer = 'nobody') {
    const client = new ClientV1(INFO, { capabilities: CAPABILITIES })
    client.setRequestHandler(ElicitRequestSchema, accept(answer))
    const transport = new TransportV1(launch(args))
    const stderr = listening(transport)
    let version: string | undefined
    Object.assign(transport, { setProtocolVersion: (agreed: string) => (version = agreed) })
    await client.connect(transport)
    return {
      ...asking(client, version),
      version,
      server: client.getServerVersion()?.name,
      pid: transport.pid ?? 0,
      stderr,
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, given = {}, options = {}) => client.callTool({ name, arguments: given }, undefined, options),
      close: () => client.close(),
    }
  },
}

const v2 = (name: string, version: string, mode?: VersionNegotiationMode): Mode => ({
  name: `client 2, ${name}`,
  version,
  async connect(args, answer = 'nobody') {
    const client = new ClientV2(INFO, { capabilities: CAPABILITIES, ...(mode && { versionNegotiation: { mode } }) })
    client.setRequestHandler('elicitation/create', accept(answer))
    const transport = new TransportV2(launch(args))
    const stderr = listening(transport)
    await client.connect(transport)
    return {
      ...asking(client, client.getNegotiatedProtocolVersion()),
      version: client.getNegotiatedProtocolVersion(),
      server: client.getServerVersion()?.name,
      pid: transport.pid ?? 0,
      stderr,
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, given = {}, options = {}) => client.callTool({ name, arguments: given }, options),
      close: () => client.close(),
    }
  },
})

/** The official clients, in all their modes. */
export const modes: readonly Mode[] = [
  v1,
  v2('by default', '2025-11-25'),
  v2('legacy', '2025-11-25', 'legacy'),
  v2('negotiating', '2026-07-28', 'auto'),
  v2('pinned', '2026-07-28', { pin: '2026-07-28' }),
]
