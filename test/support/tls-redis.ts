import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, needs } from './needs.ts'
import type { Needs } from './needs.ts'
import { RedisServer, freePort } from './redis-server.ts'

/** What tests need that start a Redis of their own that speaks TLS. */
export function needsTlsRedis(): Needs {
  const missing = ['redis-server', 'openssl'].find(program => !isInstalled(program))
  if (missing !== undefined) return needs(missing, false)
  // With no port to listen on it ends at once; one that was built without TLS does not know the option.
  const { stdout } = spawnSync('redis-server', ['--port', '0', '--tls-port', '0'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  return needs('a redis-server with TLS', !/bad directive/i.test(stdout))
}

/** A Redis whose TLS port has a certificate for `localhost`, from a CA that nobody knows. */
export class TlsRedis {
  readonly server: RedisServer
  readonly tlsPort: number
  readonly #folder: string

  constructor(server: RedisServer, tlsPort: number, folder: string) {
    this.server = server
    this.tlsPort = tlsPort
    this.#folder = folder
  }

  static async start(): Promise<TlsRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-tls-'))
    makeCertificates(folder)
    const tlsPort = await freePort()
    const file = (name: string): string => join(folder, name)
    const files = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')]
    const ports = ['--bind', '127.0.0.1', '-::1', '--tls-port', String(tlsPort), '--tls-auth-clients', 'no']
    const server = await RedisServer.start([...ports, ...files, '--tls-ca-cert-file', file('ca.pem')])
    return new TlsRedis(server, tlsPort, folder)
  }

  urlOf(host: string): string {
    return `rediss://${host}:${this.tlsPort}/0`
  }

  /** The path of the file with the certificate of the CA. */
  get caFile(): string {
    return join(this.#folder, 'ca.pem')
  }

  /** The text of one of the files: `ca.pem`, `server.pem`, `server.key`. */
  text(name: string): string {
    return readFileSync(join(this.#folder, name), 'utf8')
  }

  async stop(): Promise<void> {
    await this.server.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

function makeCertificates(cwd: string): void {
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd, stdio: 'ignore' })
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test CA')
  openssl('req', ...NEW_KEY, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost')
  writeFileSync(join(cwd, 'names'), 'subjectAltName=DNS:localhost\n')
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing)
}
