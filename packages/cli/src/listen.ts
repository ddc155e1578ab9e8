import { readFileSync } from 'node:fs'
import type { Server } from '@causeway/engine'
import { bearerTokens, serveHttp } from '@causeway/engine/http'
import type { Authenticator, HttpService } from '@causeway/engine/http'
import type { Config } from './config.ts'
import { print, table } from './print.ts'
import { UsageError } from './usage.ts'

/** Serve over HTTP as the configuration has it, and say how to connect. */
export async function listen(server: Server, config: Config): Promise<HttpService> {
  const { host, port, tokenFile, ...limits } = config.http
  const authenticator = tokenFile === undefined ? undefined : readTokens(tokenFile)
  try {
    const service = await serveHttp(server, {
      ...limits,
      host,
      port,
      maxBody: config.maxRequest,
      ...(config.lifecycle && { lifecycle: config.lifecycle }),
      ...(authenticator && { authenticator }),
    })
    await print(welcome(service.url, authenticator !== undefined))
    return service
  } catch (error) {
    throw explained(error, host, port)
  }
}

function readTokens(file: string): Authenticator {
  try {
    return bearerTokens(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--token-file ${file}: ${error instanceof Error ? error.message : String(error)}`, 4)
  }
}

function explained(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new UsageError(`Port ${port} on ${host} is in use. Choose another with --port N, or --port 0 for any.`)
  if (code === 'EACCES')
    return new UsageError(`Port ${port} on ${host} needs more rights. Choose one above 1023 with --port N.`, 5)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UsageError(`This machine has no address ${host}. Use --host 127.0.0.1.`)
  if (error instanceof TypeError) return new UsageError(`${error.message}: --token-file FILE or --allow-anonymous.`)
  return error
}

/** What to do with a server that runs: its doors, and what to paste where. */
function welcome(url: string, needsToken: boolean): string {
  const headers = needsToken ? { headers: { Authorization: 'Bearer TOKEN' } } : {}
  const entry = JSON.stringify({ type: 'http', url: `${url}/mcp`, ...headers })
  const header = needsToken ? ' --header "Authorization: Bearer TOKEN"' : ''
  const doors = table([
    [`${url}/mcp`, 'Streamable HTTP, every revision'],
    [`${url}/sse`, 'HTTP+SSE (GET), or one answer as events (POST)'],
    [`${url.replace(/^http/, 'ws')}/ws`, 'WebSocket'],
    [`${url}/rpc`, 'plain JSON-RPC'],
    [`${url}/health/live`, 'health; also /health/ready'],
  ])
  return [
    `Causeway is listening on ${url}`,
    '',
    doors,
    '',
    `Claude Code   claude mcp add --transport http causeway ${url}/mcp${header}`,
    `VS Code       .vscode/mcp.json    {"servers":{"causeway":${entry}}}`,
    `Cursor        .cursor/mcp.json    {"mcpServers":{"causeway":${entry}}}`,
    '',
    'Stop with Ctrl-C.',
  ].join('\n')
}
