import { execFile } from 'node:child_process'
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { bearerTokens } from '@causeway/engine/http'
import { dataFolder } from '@causeway/packs/cassini'
import type { Config } from '../config/config.ts'
import { readKey } from '../login/key-file.ts'
import { keyFileOf } from '../login/open-credentials.ts'
import { rootWarnings } from '../terminal/banner.ts'
import { NODE_FLOOR } from '../version.ts'
import { ok, wordsOf } from './finding.ts'
import type { Finding } from './finding.ts'

const PATIENCE_MS = 10_000

/** Is this Node new enough? */
export function checkNode(version: string = process.versions.node): Finding {
  const parts = (text: string): number[] => text.split('.').map(Number)
  const [major = 0, minor = 0] = parts(version)
  const [wantedMajor = 0, wantedMinor = 0] = parts(NODE_FLOOR)
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return ok('node', `Node ${version}`)
  const fix = `Install Node ${NODE_FLOOR} or newer.`
  return { check: 'node', status: 'fail', message: `Node ${version} is too old`, fix }
}

/** Is there a git for the git tools? */
export async function checkGit(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: PATIENCE_MS })
    return ok('git', stdout.trim())
  } catch {
    const message = 'git was not found on the PATH, so the git tools are left out'
    return { check: 'git', status: 'warn', message, fix: 'Install git.' }
  }
}

/** Can the roots be used, and are they narrow? */
export function checkRoots(config: Config): readonly Finding[] {
  const warnings = rootWarnings(config).map((message): Finding => ({
    check: 'root',
    status: 'warn',
    message,
    fix: 'Use --root DIR.',
  }))
  return [...config.root.map(root => checkRoot(root, config.readOnly)), ...warnings]
}

function checkRoot(root: string, readOnly: boolean): Finding {
  try {
    if (!statSync(root).isDirectory()) throw new Error('it is not a folder')
    accessSync(root, constants.R_OK | constants.X_OK)
  } catch (error) {
    const message = `The root ${root} cannot be used: ${wordsOf(error)}`
    return { check: 'root', status: 'fail', message, fix: 'Name a folder that exists with --root DIR.' }
  }
  if (readOnly || isWritable(root)) return ok('root', root)
  const fix = 'Use --read-only, or change its owner or mode.'
  return { check: 'root', status: 'warn', message: `The root ${root} cannot be written`, fix }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Is the port free? Only asked of a server over HTTP. */
export async function checkPort({ transport, host, port, given }: Config): Promise<readonly Finding[]> {
  if (transport !== 'http') return []
  const problem = await listening(host, port)
  if (problem === undefined) return [ok('port', `${host}:${port} is free`)]
  const isChosen = given.has('port')
  const message = `Port ${port} on ${host} cannot be used: ${problem}`
  return [
    {
      check: 'port',
      status: isChosen ? 'fail' : 'warn',
      message,
      fix: isChosen ? 'Stop the other program, or use another --port N.' : 'The next free port is used.',
    },
  ]
}

const listening = (host: string, port: number): Promise<string | undefined> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })

/** Can the token file be read, and only by this user? */
export function checkTokens({ tokenFile: file }: Config): readonly Finding[] {
  if (file === undefined) return []
  try {
    bearerTokens(readFileSync(file, 'utf8'))
  } catch (error) {
    const fix = `Create a token with: causeway token NAME --token-file ${file}`
    return [{ check: 'tokens', status: 'fail', message: `--token-file ${file}: ${wordsOf(error)}`, fix }]
  }
  return [forOwnerAlone('tokens', file)]
}

/** Can the key of stored logins be used, and only by this user? It is not there before the first login. */
export function checkKeyFile(config: Config): readonly Finding[] {
  const file = keyFileOf(config)
  try {
    if (!readKey(file)) return []
  } catch (error) {
    return [{ check: 'key', status: 'fail', message: wordsOf(error), fix: 'Restore the file, or use --key-file FILE.' }]
  }
  return [forOwnerAlone('key', file)]
}

/** Can other users read a file with secrets? */
function forOwnerAlone(check: string, file: string): Finding {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return ok(check, file)
  const message = `Other users of this machine can read ${file}`
  return { check, status: 'warn', message, fix: `chmod 600 ${file}`, repair: () => chmodSync(file, 0o600) }
}

/** Can the audit be written? */
export function checkAudit({ audit }: Config): readonly Finding[] {
  if (audit === undefined || audit === 'stderr') return []
  const file = resolve(audit)
  if (isWritable(existsSync(file) ? file : dirname(file))) return [ok('audit', file)]
  const message = `The audit file ${file} cannot be written`
  return [
    { check: 'audit', status: 'fail', message, fix: 'Choose another file with --audit FILE, or change its mode.' },
  ]
}

/** Can data be kept? */
export function checkData({ data }: Config): Finding {
  const folder = data ?? dataFolder()
  if (existsSync(folder)) {
    if (isWritable(folder)) return ok('data', folder)
    const message = `The data folder ${folder} cannot be written`
    return { check: 'data', status: 'warn', message, fix: 'Choose another with --data DIR, or change its mode.' }
  }
  let above = dirname(folder)
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above)
  if (isWritable(above)) return ok('data', `${folder} (created on first use)`)
  const message = `The data folder ${folder} cannot be created`
  return {
    check: 'data',
    status: 'warn',
    message,
    fix: 'Choose another with --data DIR.',
    repair: () => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
  }
}
