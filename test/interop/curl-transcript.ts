import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { exchange } from '../../packages/engine/test/support/http-exchange.ts'

/** One command of a transcript, and what must come of it. */
export interface Shown {
  readonly command: string
  /** Status and content type. */
  readonly head: string
  readonly body: string
}

/** What came of a command. */
export type Seen = Pick<Shown, 'head' | 'body'>

/**
 * Reads a transcript: `$` begins a command, which goes on over the lines up to `=`, the status and type of its answer;
 * `<` begins each line of the body. A `…` stands for anything.
 */
export function readShown(file: URL): Shown[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^\$ (.+?)\n= ([^\n]*)\n((?:<[^\n]*\n)*)/gms)].map(
    ([, command = '', head = '', lines = '']) => ({
      command,
      head,
      body: lines.replace(/^< ?/gm, '').replace(/\n$/, ''),
    }),
  )
}

/** A pattern in which `…` stands for anything. */
export const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll('…', String.raw`[\s\S]*?`)}\n?$`)

/** Is there a curl on this machine? */
export const hasCurl: boolean = spawnSync('curl', ['--version']).status === 0

/** Run the command as it stands, at another address. */
export async function byCurl(command: string, url: string): Promise<Seen> {
  const args = wordsOf(command.replaceAll('http://localhost:5000', url)).slice(1)
  const options = ['-sS', '-w', String.raw`\n%{http_code} %{content_type}`]
  const { stdout } = await promisify(execFile)('curl', [...options, ...args])
  const at = stdout.lastIndexOf('\n')
  return { head: stdout.slice(at + 1).trim(), body: stdout.slice(0, at) }
}

/** Send what the command would. */
export async function byHand(command: string, url: string): Promise<Seen> {
  const words = wordsOf(command).slice(1)
  const after = (flag: string): string[] => words.filter((_, i) => words[i - 1] === flag)
  const headers = after('-H').map(line => line.split(/: (.*)/s) as [string, string])
  const [body] = after('-d')
  const { pathname } = new URL(words.find(word => word.startsWith('http://')) ?? '')
  const [method = body === undefined ? 'GET' : 'POST'] = after('-X')
  const answer = await exchange(url, {
    method,
    path: pathname,
    headers: { accept: '*/*', ...Object.fromEntries(headers) },
    body,
  })
  return { head: `${answer.status} ${answer.headers['content-type'] ?? ''}`.trim(), body: answer.text }
}

/** The words of a command: quotes hold them together, a backslash joins lines. */
function wordsOf(command: string): string[] {
  const found = command.matchAll(/'([^']*)'|"([^"]*)"|\\\n|([^\s'"\\]+)/g)
  return [...found].flatMap(([, single, double, plain]) => single ?? double ?? plain ?? [])
}
