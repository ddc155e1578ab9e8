import type { Planned, PlannedRequest } from './preview.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A header as the shell passes it; what is a variable stays one. */
const header = ([name, value]: [string, string]): string =>
  value.startsWith('$') ? `-H "${name}: ${value}"` : `-H ${quoted(`${name}: ${value}`)}`

/** The requests of a call as shell commands. */
export function asCurl(url: string, planned: readonly PlannedRequest[], needsToken: boolean): string {
  const token = needsToken ? [`-H "authorization: Bearer $TOKEN"`] : []
  return planned
    .map(({ headers, body }) => {
      const parts = [...token, ...Object.entries(headers).map(header), `-d ${quoted(JSON.stringify(body))}`]
      const isHandshake = (body as { method?: unknown }).method === 'initialize'
      const command = ['curl -sS', ...(isHandshake ? ['-D - -o /dev/null'] : []), quoted(url), ...parts].join(' \\\n  ')
      return isHandshake ? `SESSION=$(${command} \\\n  | sed -n 's/^mcp-session-id: //Ip' | tr -d '\\r')` : command
    })
    .join('\n\n')
}

/** A call as a command of ours. */
export function asCommand({ method, params }: Planned): string {
  if (method !== 'tools/call') return '# The command line calls tools only'
  const values = params.arguments
  const json = JSON.stringify(values ?? {})
  return `causeway call ${String(params.name)}${json === '{}' ? '' : ` --json ${quoted(json)}`}`
}

/** A call as a program. */
export function asTypeScript(url: string, { method, params, version }: Planned, needsToken: boolean): string {
  const headers = needsToken ? `, headers: { authorization: \`Bearer \${process.env.TOKEN}\` }` : ''
  const pinned = version === '' ? '' : `, version: '${version}'`
  const call =
    method === 'tools/call'
      ? `callTool('${String(params.name)}', ${JSON.stringify(params.arguments ?? {}, null, 2)})`
      : `request('${method}', ${JSON.stringify(params, null, 2)})`
  return [
    `import { RemoteServer, httpTransport } from '@causeway/engine/client'`,
    '',
    'const server = await RemoteServer.connect(',
    `  { open: () => httpTransport({ url: '${url}'${headers} }) },`,
    `  { client: { name: 'my-client', version: '1.0.0' }${pinned} },`,
    ')',
    `console.log(await server.${call})`,
    'await server.close()',
    '',
  ].join('\n')
}
