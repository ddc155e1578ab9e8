import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { httpTransport, RemoteServer } from '@causeway/engine/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const BIN = join(root, 'packages/cli/bin/causeway.js')
const BUILT = needs('npm run build', existsSync(join(root, 'packages/cli/dist/main.js')))

interface Line {
  readonly id?: number
  readonly method?: string
  readonly error?: unknown
  readonly result?: { readonly tools: readonly { name: string }[]; readonly content: readonly [{ text: string }] }
}

function project(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-dev-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'lib'))
  write(folder, { 'package.json': '{"type":"module"}', ...files })
  return folder
}

/** As editors write: another file in its place. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.new`), text)
    renameSync(join(folder, `${name}.new`), join(folder, name))
  }
}

/** `causeway dev` on standard input and output, with a client that stays. */
class Dev {
  readonly #child
  readonly lines: Line[] = []
  stderr = ''
  #last = 0

  constructor(path: string) {
    this.#child = spawn(process.execPath, [BIN, 'dev', path, '--stdio'], { stdio: 'pipe' })
    onTestFinished(async () => {
      this.#child.kill('SIGKILL')
      if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    let rest = ''
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      this.lines.push(...lines.map(line => JSON.parse(line) as Line))
    })
  }

  static async open(path: string): Promise<Dev> {
    const dev = new Dev(path)
    const clientInfo = { name: 'test', version: '1' }
    await dev.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    dev.send({ method: 'notifications/initialized' })
    return dev
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async ask(method: string, params: object = {}): Promise<Line> {
    const id = ++this.#last
    this.send({ id, method, params })
    return this.until(line => line.id === id && line.method === undefined)
  }

  async until(fits: (line: Line) => boolean): Promise<Line> {
    await until(() => this.lines.some(fits))
    return this.lines.find(fits) as Line
  }

  async text(name: string): Promise<string> {
    const { result, error } = await this.ask('tools/call', { name, arguments: {} })
    return result?.content[0].text ?? JSON.stringify(error)
  }

  async tools(): Promise<string[]> {
    const { result } = await this.ask('tools/list')
    return (result?.tools ?? []).map(({ name }) => name)
  }

  get changes(): number {
    return this.lines.filter(({ method }) => method === 'notifications/tools/list_changed').length
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => void setTimeout(resolve, 5))
}

const counter = (name: string): string => `import { tool } from '@causeway/engine'
let count = 0
export const it = tool({ name: '${name}' }, () => String(++count))
`

describe('causeway dev', () => {
  test('loads again what changed, keeps the state of the rest, and the client', BUILT, async () => {
    const folder = project({
      'a.ts': `import { word } from './lib/word.js'\nimport { tool } from '@causeway/engine'\nexport const a = tool({ name: 'a' }, (): string => word)\n`,
      'b.mjs': counter('b'),
      'lib/word.ts': `export const word: string = 'one'\n`,
    })
    const dev = await Dev.open(folder)
    expect(await dev.tools()).toEqual(expect.arrayContaining(['a', 'b']))
    expect([await dev.text('a'), await dev.text('b')]).toEqual(['one', '1'])
    write(folder, { 'lib/word.ts': `export const word: string = 'two'\n` })
    await until(async () => (await dev.text('a')) === 'two')
    expect(await dev.text('b')).toBe('2')
    write(folder, { 'c.ts': counter('c') })
    await until(async () => (await dev.tools()).includes('c'))
    expect(dev.changes).toBeGreaterThan(0)
    rmSync(join(folder, 'c.ts'))
    await until(async () => !(await dev.tools()).includes('c'))
    expect(await dev.text('b')).toBe('3')
    expect(dev.stderr).toMatch(/loaded .*a\.ts in \d+ ms: a/)
    expect(dev.stderr).toMatch(/call {4}tools\/call a .*ok, [\d.]+ ms/)
    expect(dev.stderr).toMatch(/gone .*c\.ts/)
  })

  test('a broken module stays as it was, and says file and line', BUILT, async () => {
    const good = counter('b')
    const folder = project({ 'b.ts': good })
    const dev = await Dev.open(join(folder, 'b.ts'))
    expect(await dev.text('b')).toBe('1')
    for (const [broken, place] of [
      [`${good}export const wrong = (\n`, /broken {2}.*b\.ts:[45]/],
      [`${good}\nthrow new Error('at the sixth line')\n`, /broken {2}.*b\.ts:5:\d+: at the sixth line/],
      [
        `${good}export const bad = tool({ name: 'bad', input: { type: 'objct' } }, () => '')\n`,
        /broken {2}.*b\.ts: .*Malformed JSON Schema/,
      ],
    ] as const) {
      write(folder, { 'b.ts': broken })
      await until(() => place.test(dev.stderr))
      expect(Number(await dev.text('b'))).toBeGreaterThan(1)
    }
    write(folder, { 'b.ts': good.replace('String(++count)', `'whole again'`) })
    await until(async () => (await dev.text('b')) === 'whole again')
  })

  test(
    'an error of a tool names file and line in the answer; a tool that is not there, what is broken',
    BUILT,
    async () => {
      const folder = project({
        'fails.ts': `import { tool } from '@causeway/engine'\ninterface X { readonly y?: { z: string } }\nexport const fails = tool({ name: 'fails' }, () => {\n  const x: X = {}\n  return x.y!.z\n})\n`,
        'never.ts': `export const = 5\n`,
      })
      const dev = await Dev.open(folder)
      expect(await dev.text('fails')).toMatch(/undefined[\s\S]*fails\.ts:5:\d+/)
      expect(await dev.text('never')).toMatch(/could not be loaded[\s\S]*never\.ts:1/)
    },
  )

  test('over HTTP a client stays, too', BUILT, async () => {
    const folder = project({ 'a.ts': counter('a') })
    const child = spawn(process.execPath, [BIN, 'dev', folder, '--http', '--port', '0'], { stdio: 'pipe' })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    await until(() => /http:\/\/127\.0\.0\.1:\d+\/mcp/.test(said))
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
    const client = await RemoteServer.connect(
      { open: () => httpTransport({ url: `${url}/mcp` }) },
      { client: { name: 'test', version: '1' } },
    )
    onTestFinished(() => client.close())
    const names = async (): Promise<unknown[]> => (await client.list('tools/list')).map(({ name }) => name)
    expect(await names()).toContain('a')
    write(folder, { 'a.ts': counter('changed') })
    await until(async () => (await names()).includes('changed'))
    await until(() => said.includes('/#/tools/changed'))
  })
})
