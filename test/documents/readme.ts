import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { BINARY, ROOT } from '../support/spawned.ts'

/** An entry of a configuration that README shows. */
export interface Snippet {
  readonly command?: string
  readonly args?: readonly string[]
  readonly type?: string
  readonly url?: string
  readonly transport?: string
}

/** The configuration in the row of README that begins so, as JSON. */
export function snippetOf(row: string, container: string): Snippet {
  const line = readFileSync(`${ROOT}README.md`, 'utf8')
    .split('\n')
    .find(text => text.startsWith(`| ${row} |`))
  const json = /`(\{.*\})`/.exec(line ?? '')?.[1] ?? '{}'
  const parsed = JSON.parse(json) as Readonly<Record<string, Readonly<Record<string, Snippet>>>>
  return Object.values(parsed[container] ?? {})[0] ?? {}
}

/**
 * What the command of a snippet answers to `tools/list`, in an empty environment; the paths in it are examples. What npx
 * would fetch is this package, which test/release installs from a tarball.
 */
export async function startedBy({ command = '', args = [] }: Snippet, root: string): Promise<string> {
  const isPackage = command === 'npx' && args[0] === '-y' && args[1] === 'causeway-mcp'
  const own = (isPackage ? [BINARY, ...args.slice(2)] : args).map(arg =>
    arg.endsWith('causeway.js') ? BINARY : arg.replace(/^(?:\/path\/to\/project|\$\{workspaceFolder\})$/, root),
  )
  const program = isPackage || command === 'node' ? process.execPath : command
  const child = spawn(program, [...own, '--lifecycle', 'lenient'], { env: {} })
  const exited = once(child, 'close')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
  await exited
  return said
}
