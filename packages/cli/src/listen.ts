import { readFileSync } from 'node:fs'
import type { Store } from '@causeway/engine'
import { bearerTokens, serveHttp } from '@causeway/engine/http'
import type { Authenticator, HttpService } from '@causeway/engine/http'
import type { Assembly } from './assemble.ts'
import { welcome } from './banner.ts'
import type { Config } from './config.ts'
import { print } from './print.ts'
import { UsageError } from './usage.ts'

/** What is served, and where what other processes share is kept. */
export interface Served extends Pick<Assembly, 'server' | 'metrics' | 'gateway' | 'feed'> {
  readonly store: Store | undefined
}

/** Serve over HTTP as the configuration has it, and say how to connect. */
export async function listen({ server, metrics, gateway, feed, store }: Served, config: Config): Promise<HttpService> {
  const { host, port, tokenFile, publicUrl: _shown, console: _served, ...limits } = config.http
  const authenticator = tokenFile === undefined ? undefined : readTokens(tokenFile)
  const service: HttpService = await serveHttp(server, {
    ...limits,
    routes: [
      metrics.route(() => service.open),
      ...(gateway?.routes ?? []),
      ...(feed ? [...(await import('@causeway/console')).consoleRoutes(), feed.route] : []),
    ],
    allowOwnPages: feed !== undefined && authenticator !== undefined,
    ...(gateway && { views: gateway.views }),
    ...(store && { store }),
    onRefused: metrics.onRefused,
    host,
    port,
    maxBody: config.maxRequest,
    ...(config.lifecycle && { lifecycle: config.lifecycle }),
    ...(authenticator && { authenticator }),
  }).catch((error: unknown) => {
    throw explained(error, host, port)
  })
  feed?.start(() => service.open)
  // Only the banner is lost, and nobody needs it to connect.
  await print(await welcome(service.url, server, config)).catch((error: unknown) => {
    server.log('warn', error instanceof Error ? error.message : String(error))
  })
  return service
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
    return new UsageError(`Port ${port} on ${host} is in use. Choose another with --port N; --port 0 picks a free one.`)
  if (code === 'EACCES')
    return new UsageError(`Permission denied for port ${port} on ${host}. Choose one above 1023 with --port N.`, 5)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UsageError(`This machine has no address ${host}. Use --host 127.0.0.1.`)
  if (error instanceof TypeError)
    return new UsageError(
      `Other machines could use a server on ${host}: require tokens with --token-file FILE, or allow anyone with --allow-anonymous.`,
    )
  return error
}
