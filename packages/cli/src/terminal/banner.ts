import { homedir, networkInterfaces } from 'node:os'
import { parse } from 'node:path'
import type { Server } from '@causeway/engine'
import { clientPrograms, httpSnippet, shellWord, sseSnippet } from '@causeway/engine/client-programs'
import type { Config } from '../config/config.ts'
import { servesConsole } from '../serve/serve-console.ts'
import type { ServedGateway } from '../serve/serve-gateway.ts'
import { counted, table } from './print.ts'
import { countTools } from '../serve/find-tool.ts'
import { ownCommand } from '../serve/own-command.ts'
import { VERSION } from '../version.ts'

/** What is served, in one line: how many tools, of which preset, in which folders. */
export async function serving(server: Server, { preset, readOnly, root }: Config): Promise<string> {
  const count = await countTools(server)
  const mode = readOnly ? ', read-only' : ''
  return `Serving ${counted(count, 'tool')} (preset ${preset.name}${mode}); root: ${root.join(', ')}`
}

/** Warnings about roots that reach far. */
export function rootWarnings({ root: roots, readOnly }: Config): string[] {
  const reach = readOnly ? 'read' : 'read and changed'
  return roots.flatMap(root => {
    const what =
      root === parse(root).root ? 'the whole file system' : root === homedir() ? 'your home folder' : undefined
    if (what === undefined) return []
    return [`The root is ${root}: ${what} can be ${reach}. Choose a narrower one with --root DIR.`]
  })
}

/** What `causeway` says to a person who started it in a terminal. */
export async function terminalHelp(server: Server, config: Config): Promise<string> {
  // The real path: another package may have the name of this one in a registry.
  const own = ownCommand().map(shellWord).join(' ')
  return [
    `Causeway ${VERSION}: an MCP server. ${await serving(server, config)}`,
    'It now waits for an MCP client on standard input; usually the client starts it:',
    '',
    table([
      [`  claude mcp add causeway -- ${own}`, 'add it to Claude Code'],
      [`  ${own} serve --http`, 'serve over HTTP, and show what to paste into other clients'],
      [`  ${own} list`, 'show the tools'],
      [`  ${own} call add_numbers number1=5 number2=3`, 'call one'],
      [`  ${own} help`, 'show every command and flag'],
    ]),
    '',
    'End with Ctrl-D or Ctrl-C.',
  ].join('\n')
}

// Those whose snippet is a line; the console shows all.
const SHOWN: readonly string[] = ['claude-code', 'vscode', 'cursor']

/** What to do with a server that runs: its endpoints, and what to paste where. */
export async function welcome(url: string, server: Server, config: Config, gateway?: ServedGateway): Promise<string> {
  const { publicUrl, tokenFile, auth, socket } = config
  const [base = url, ...others] = publicUrl === undefined ? addresses(url) : [publicUrl]
  // Clients get access tokens by themselves.
  const headers =
    tokenFile !== undefined && auth.issuers.length === 0 ? { headers: { Authorization: 'Bearer TOKEN' } } : {}
  const snippets = clientPrograms
    .filter(({ id }) => SHOWN.includes(id))
    .map(program => [program, httpSnippet(program, 'causeway', { url: `${base}/mcp`, ...headers }, 0)] as const)
  const endpoints: [string, string][] = [
    ...(servesConsole(config) ? [[`${base}/`, 'console: try everything in a browser'] as [string, string]] : []),
    [`${base}/mcp`, 'Streamable HTTP, every revision'],
    ...(gateway?.views.names ?? []).map((name): [string, string] => [`${base}/mcp/${name}`, 'a virtual server']),
    [`${base}/sse`, 'HTTP+SSE (GET), or one answer as events (POST)'],
    [`${base.replace(/^http/, 'ws')}/ws`, 'WebSocket'],
    [`${base}/rpc`, 'plain JSON-RPC'],
    [`${base}/health/live`, 'health; also /health/ready'],
    [`${base}/metrics`, 'metrics, for Prometheus'],
  ]
  return [
    `Causeway is listening on ${socket ?? addresses(url)[0] ?? url}`,
    await serving(server, config),
    ...(await servers(gateway)),
    ...(others.length > 0 ? [`Also reachable at ${others.join(', ')}`] : []),
    '',
    table(endpoints),
    '',
    table([
      ...snippets.map(([{ name, where, addCommand }, text]): [string, string] => [
        name,
        addCommand === undefined ? `${where}  ${text}` : text,
      ]),
      ['older clients', sseSnippet('causeway', { url: `${base}/sse`, ...headers }, 0)],
    ]),
    '',
    'Stop with Ctrl-C.',
  ].join('\n')
}

// The servers get so long to say what they have before the banner is printed.
const SERVERS_MS = 1000

/** The servers behind this one, and which of them fail. */
async function servers(gateway: ServedGateway | undefined): Promise<string[]> {
  if (!gateway || gateway.gateway.servers.size === 0) return []
  await Promise.race([gateway.loaded(), new Promise(resolve => void setTimeout(resolve, SERVERS_MS).unref())])
  const words = gateway.gateway.status.map(({ name, state, tools, problem }) => {
    if (state === 'failed') return `${String(name)} (failed: ${typeof problem === 'string' ? problem : 'see the log'})`
    return `${String(name)} (${tools === undefined ? 'starting' : counted(Number(tools), 'tool')})`
  })
  return [`Servers: ${words.join(', ')}`]
}

/** Addresses a client can use: an address that means every interface cannot be used. */
function addresses(url: string): string[] {
  const { protocol, hostname, port } = new URL(url)
  const every = ['0.0.0.0', '[::]'].includes(hostname)
  if (!every) return [url]
  const outside = Object.values(networkInterfaces())
    .flatMap(found => found ?? [])
    .filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (hostname === '[::]' && !scopeid)))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
  return [...outside, '127.0.0.1'].map(host => `${protocol}//${host}:${port}`)
}
