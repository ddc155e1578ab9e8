import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A CA that nobody knows, and the certificates it issues, as files in a folder of its own. */
export class Certificates {
  readonly #folder = mkdtempSync(join(tmpdir(), 'causeway-certificates-'))

  constructor() {
    const files = ['-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test CA']
    this.#openssl('req', '-x509', ...NEW_KEY, ...files)
  }

  /** Make `NAME.pem` and `NAME.key`, with this subject, for `localhost` and the loopback address. */
  issue(name: string, subject: string): this {
    this.#openssl('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
    writeFileSync(this.file('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
    this.#openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signing)
    return this
  }

  file(name: string): string {
    return join(this.#folder, name)
  }

  text(name: string): string {
    return readFileSync(this.file(name), 'utf8')
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'ignore' })
  }
}
