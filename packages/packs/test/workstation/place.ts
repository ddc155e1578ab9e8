import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer } from '@causeway/engine'
import { timeout } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Dialect, RpcError } from '@causeway/engine'
import type { Client, ClientOptions } from '@causeway/engine/testing'
import { workstation } from '@causeway/packs/workstation'
import type { WorkstationOptions } from '../../src/workstation/index.ts'

/** A fresh directory, gone after the tests. */
export function folder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-ws-')))
  fill(path, files)
  return path
}

/** Write files below a directory. */
export function fill(path: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), contents)
  }
}

/** Run git as a person would. */
export const git = (path: string, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: path,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1' },
  })

const repositories = new Map<string, string>()

/** A fresh repository with one commit of these files: a copy, since making one takes five processes. */
export function repository(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }): string {
  const key = JSON.stringify(files)
  const made = repositories.get(key) ?? makeRepository(files)
  repositories.set(key, made)
  const path = folder()
  // With its times, or git would think that every file has changed.
  cpSync(made, path, { recursive: true, preserveTimestamps: true })
  return path
}

function makeRepository(files: Readonly<Record<string, string>>): string {
  const path = folder()
  initialise(path)
  fill(path, files)
  git(path, 'add', '.')
  git(path, 'commit', '--quiet', '--message', 'first')
  return path
}

/** Make a directory a repository. */
export function initialise(path: string): void {
  git(path, 'init', '--quiet', '--initial-branch', 'main')
  git(path, 'config', 'user.name', 'Ada')
  git(path, 'config', 'user.email', 'ada@example.org')
}

/** The codes of seed 000. */
export const SEED: Dialect = {
  suggest: 'data',
  errors: {
    'unknown-tool': -32601,
    'invalid-arguments': -32602,
    'tool-failed': -32603,
    timeout: { code: -32000, message: 'Tool execution timeout' },
    'result-too-large': -32603,
  },
}

/** The script of the threads, as it was built before the tests. */
export const worker: URL = new URL('../../dist/workstation-worker.js', import.meta.url)

/** A client of a server with the pack. */
export function open(
  options: WorkstationOptions,
  { client = {}, dialect = SEED, timeoutMs }: { client?: ClientOptions; dialect?: Dialect; timeoutMs?: number } = {},
): Client {
  const server = createServer({ name: 'ancplua-mcp', version: '1.0.0', dialect })
  if (timeoutMs !== undefined) server.use(timeout(timeoutMs))
  server.mount(workstation({ worker, ...options }))
  return connect(server, client)
}

/** What a call throws. */
export async function refusal(call: Promise<unknown>): Promise<RpcError> {
  try {
    await call
  } catch (error) {
    return error as RpcError
  }
  throw new Error('It was not refused')
}
