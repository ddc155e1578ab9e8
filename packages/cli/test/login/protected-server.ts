import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createServer, tool } from '@causeway/engine'
import { resourceServer, scopeRules, serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { vi } from 'vitest'
import { startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import type { AuthorizationServer, AuthorizationServerOptions } from '../../../../test/support/authorization-server.ts'
import type { Outcome } from '../../../../test/support/spawned.ts'
import { main } from '../../src/main.ts'

/** A server that people have to log in to, and where they do so. */
export interface ProtectedServer {
  readonly issuer: AuthorizationServer
  readonly url: string
  close(): Promise<void>
}

/** Start both on free ports. */
export async function protectedServer(options: AuthorizationServerOptions = {}): Promise<ProtectedServer> {
  const issuer = await startAuthorizationServer(options)
  const scopes = scopeRules({ tools: { '*': ['read'] } })
  const whoami = tool({ name: 'whoami' }, (_, ctx) => `${ctx.principal?.name.split('#').at(-1)}`)
  const service: HttpService = await serveHttp(createServer({ name: 'far', version: '1' }).add(whoami), {
    port: 0,
    authenticator: resourceServer({ issuers: [{ issuer: issuer.issuer }], scopes }),
    scopes,
  })
  return {
    issuer,
    url: `${service.url}/mcp`,
    async close() {
      await service.close()
      await issuer.close()
    },
  }
}

/** A folder of data, and a file of servers in it that names one at a URL. */
export function newPlace(url: string): { readonly data: string; readonly file: string } {
  const data = mkdtempSync(join(tmpdir(), 'causeway-login-'))
  const file = join(data, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { far: { type: 'http', url }, near: { command: 'x' } } }))
  return { data, file }
}

/** What a person does with the link of a login. */
export type Person = (link: string, typed: PassThrough) => Promise<unknown> | void

/** Run a command line in this process with a person at it, who acts when the link is printed. */
export async function runWithPerson(words: readonly string[], person: Person = () => {}): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' }
  const typed = new PassThrough()
  let isShown = false
  const keep = (where: 'stdout' | 'stderr') =>
    vi.spyOn(process[where], 'write').mockImplementation(((text: string, done?: () => void) => {
      printed[where] += text
      const link = /^ {2}(http\S+)$/m.exec(printed.stderr)?.[1]
      if (link !== undefined && !isShown) {
        isShown = true
        void person(link, typed)
      }
      done?.()
      return true
    }) as typeof process.stdout.write)
  const spies = [keep('stdout'), keep('stderr'), vi.spyOn(process, 'stdin', 'get').mockReturnValue(typed as never)]
  try {
    return { code: await main(words), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
