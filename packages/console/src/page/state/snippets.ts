import { shellJson, shellWord, visibleJson } from '@causeway/engine/client-programs'
import type { Planned, PlannedRequest, Variable } from './preview.ts'

/** A header as one argument of curl; only a variable of ours is expanded. */
const header = ([name, value]: [string, string | Variable]): string =>
  typeof value === 'string' ? `-H ${shellWord(`${name}: ${value}`)}` : `-H "${name}: $${value.variable}"`

/** The requests of a call as commands of a POSIX shell. */
export function asCurl(url: string, planned: readonly PlannedRequest[], needsToken: boolean): string {
  const token = needsToken ? [`-H "authorization: Bearer $TOKEN"`] : []
  return planned
    .map(({ headers, body }) => {
      const parts = [...token, ...Object.entries(headers).map(header), `-d ${shellJson(body)}`]
      const isHandshake = (body as { method?: unknown }).method === 'initialize'
      const command = ['curl -sS', ...(isHandshake ? ['-D - -o /dev/null'] : []), shellWord(url), ...parts].join(
        ' \\\n  ',
      )
      return isHandshake ? `SESSION=$(${command} \\\n  | sed -n 's/^mcp-session-id: //Ip' | tr -d '\\r')` : command
    })
    .join('\n\n')
}

/** A call of a tool as a command line, after the words that call a tool of this server. */
export function asCommand({ params }: Planned, callTool: readonly string[]): string {
  const name = String(params.name)
  const json = Object.keys(params.arguments ?? {}).length === 0 ? [] : ['--args', shellJson(params.arguments)]
  // After --, a name that begins with a dash is a name and not a flag.
  return [...callTool.map(shellWord), ...json, ...(name.startsWith('-') ? ['--'] : []), shellWord(name)].join(' ')
}

/** A call as a program. */
export function asTypeScript(url: string, { method, params, version }: Planned, needsToken: boolean): string {
  const headers = needsToken ? `, headers: { authorization: \`Bearer \${process.env.TOKEN}\` }` : ''
  const pinned = version === '' ? '' : `, version: ${visibleJson(version)}`
  const call =
    method === 'tools/call'
      ? `callTool(${visibleJson(params.name)}, ${literal(params.arguments ?? {})})`
      : `request(${visibleJson(method)}, ${literal(params)})`
  return [
    `import { RemoteServer, httpTransport } from '@causeway/engine/client'`,
    '',
    'const server = await RemoteServer.connect(',
    `  { open: () => httpTransport({ url: ${visibleJson(url)}${headers} }) },`,
    `  { client: { name: 'my-client', version: '1.0.0' }${pinned} },`,
    ')',
    `console.log(await server.${call})`,
    'await server.close()',
    '',
  ].join('\n')
}

/** JSON as an expression; the one key that an object literal reads as something else is computed. */
const literal = (value: unknown): string => visibleJson(value, 2).replaceAll(/^(\s*)("__proto__"): /gm, '$1[$2]: ')
