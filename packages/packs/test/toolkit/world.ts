import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Dialect, Result } from '@causeway/engine'
import type { Client, ClientOptions } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import type { ToolkitOptions } from '@causeway/packs/toolkit'
import { onTestFinished } from 'vitest'

/** The documented codes. */
export const dialect: Dialect = {
  suggest: 'data',
  errors: {
    'invalid-arguments': -32602,
    'invalid-template-parameters': -32002,
    'tool-failed': -32603,
    'resource-not-found': -32000,
    'template-not-found': -32000,
    'malformed-template-uri': -32001,
  },
}

/** An empty directory that is gone after the test. */
export function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-toolkit-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 10 }))
  return made
}

/** Write files into a directory. */
export function write(root: string, files: Readonly<Record<string, string>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

/** Who commits, and when. */
export interface Who {
  readonly name?: string
  readonly email?: string
  readonly daysAgo?: number
}

/** A repository to commit to. */
export function repository(root: string = folder()): {
  root: string
  git: (...args: string[]) => string
  commit: (files: Readonly<Record<string, string>>, who?: Who) => void
} {
  const run = (args: readonly string[], env: Record<string, string> = {}): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' })
  run(['init', '-q', '-b', 'main', '.'])
  const now = Date.now()
  const commit = (
    files: Readonly<Record<string, string>>,
    { name = 'Ann', email = 'ann@example.org', daysAgo = 1 }: Who = {},
  ): void => {
    write(root, files)
    const date = new Date(now - daysAgo * 86_400_000).toISOString()
    run(['add', '-A'])
    run(['commit', '-q', '--allow-empty', '-m', 'change'], {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    })
  }
  return { root, commit, git: (...args) => run(args) }
}

/** A client of the pack, served with the documented codes. */
export function client(options: ToolkitOptions = {}, how: ClientOptions = {}): Client {
  const server = createServer({ name: 'toolkit', version: '1', dialect })
  server.mount(toolkit({ server: { name: 'toolkit', version: '1' }, ...options }))
  const connected = connect(server, how)
  onTestFinished(() => connected.close())
  return connected
}

/** The one text block of an answer. */
export function textOf(result: Result): string {
  const content = result.content as { type: string; text: string }[]
  if (content.length !== 1 || content[0]?.type !== 'text')
    throw new Error(`Not one text block: ${JSON.stringify(content)}`)
  return content[0].text
}

/** Call a tool and take the answer as it came. */
export const call = (to: Client, name: string, args: Record<string, unknown>): Promise<Result> =>
  to.request('tools/call', { name, arguments: args })

/** The value, where a revision has structured content. */
export const structured = (version: string, value: unknown): unknown => (version > '2025-03-26' ? value : undefined)
