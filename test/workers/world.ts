import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ask } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../../packages/engine/test/support/http-exchange.ts'
import { listeningAt } from '../interop/listening.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { Spawned } from '../support/spawned.ts'

// `who` names the process; `hold` runs until a test lets it go; the rest is what workers can go through.
const TOOLS = `
  import { existsSync, writeFileSync } from 'node:fs'
  import { setTimeout } from 'node:timers/promises'
  import { tool } from '@causeway/engine'
  const gate = (key, what) => process.env.GATES + '/' + key + '.' + what
  const keyed = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] }
  export const who = tool({ name: 'who' }, () => String(process.pid))
  export const hold = tool({ name: 'hold', input: keyed }, async ({ key }, ctx) => {
    writeFileSync(gate(key, 'entered'), String(process.pid))
    ctx.progress(1, 'entered', 2)
    ctx.signal.addEventListener('abort', () => writeFileSync(gate(key, 'cancelled'), ''))
    while (!existsSync(gate(key, 'open')) && !ctx.signal.aborted) await setTimeout(5)
    return 'held by ' + process.pid
  })
  export const greet = tool({ name: 'greet' }, async (_, ctx) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const answer = await ctx.elicit('who', { message: 'Who are you?', schema })
    return answer.action === 'accept' ? 'Hello, ' + answer.content.name + '!' : answer.action
  })
  export const crash = tool({ name: 'crash' }, () => process.kill(process.pid, 'SIGKILL'))
  export const block = tool({ name: 'block' }, () => {
    writeFileSync(gate('block', 'entered'), String(process.pid))
    // Stuck without using a core.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`

/** The binary with several workers, and a folder for what it leaves behind. */
export class World {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'causeway-test-workers-'))
  readonly tools: string = join(this.folder, 'tools')
  readonly temporary: string = join(this.folder, 'tmp')
  readonly served: Spawned
  url = ''

  constructor(...flags: readonly string[]) {
    const gates = join(this.folder, 'gates')
    for (const made of [this.tools, this.temporary, gates]) mkdirSync(made)
    writeFileSync(join(this.tools, 'tools.mjs'), TOOLS)
    const own = ['serve', '--http', '--port', '0', '--pack', 'none', '--tools-dir', this.tools, '--root', this.folder]
    this.served = new Spawned([...own, ...flags], { env: { TMPDIR: this.temporary, GATES: gates } })
  }

  static async start(...flags: readonly string[]): Promise<World> {
    const world = new World(...flags)
    world.url = await listeningAt(world.served)
    return world
  }

  /** The process that serves a new connection. */
  async who(): Promise<number> {
    const body = ask(1, 'tools/call', { name: 'who', arguments: {} })
    const answer = await exchange(this.url, { path: '/rpc', headers: JSON_HEADERS, body })
    return Number(textOf(messageOf(answer)))
  }

  /** So many processes that serve, by their ids. */
  async workers(count: number): Promise<number[]> {
    const found = new Set<number>()
    for (let i = 0; found.size < count && i < 1000; i++) found.add(await this.who())
    if (found.size < count) throw new Error(`Only ${found.size} of ${count} workers answered`)
    return [...found]
  }

  open(key: string): void {
    writeFileSync(join(this.folder, 'gates', `${key}.open`), '')
  }

  /** Resolves when a call is at that gate. */
  async at(key: string, what: 'entered' | 'cancelled' = 'entered'): Promise<void> {
    await until(() => this.isAt(key, what), `${key} was never ${what}`)
  }

  /** Is, or was, a call at that gate? */
  isAt(key: string, what: 'entered' | 'cancelled' = 'entered'): boolean {
    return existsSync(join(this.folder, 'gates', `${key}.${what}`))
  }

  /** Sockets, folders and whatever else lies in the temporary folder. */
  get left(): string[] {
    return readdirSync(this.temporary)
  }

  async end(): Promise<void> {
    this.served.process.kill('SIGKILL')
    await this.served.ended
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The text of a result. */
export const textOf = (heard: { readonly result?: unknown }): unknown =>
  (heard.result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text

/** Is there such a process? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Resolves when none of them is there any more. */
export const gone = (...pids: readonly number[]): Promise<void> =>
  until(() => !pids.some(isAlive), `still there: ${pids.join(', ')}`)

/** Looks again and again until it is so. */
export async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !isSo(); await wait(5))
    if (performance.now() > end) throw new Error(`Waited ${PATIENCE_MS} ms: ${otherwise}`)
}
