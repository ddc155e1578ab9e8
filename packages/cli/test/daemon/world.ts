import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spawned, run } from '../../../../test/support/spawned.ts'
import type { Outcome, Said } from '../../../../test/support/spawned.ts'
import { upstreamScript } from '../../../../test/support/upstream-script.ts'

/** A daemon as `causeway daemon status --json` has it. */
export interface Shown {
  readonly id: string
  readonly pid: number
  readonly clients: number
  readonly folder: string
  readonly flags: readonly string[]
}

/** A user with daemons of their own. */
export class DaemonWorld {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'cw-daemon-'))
  readonly attached: Spawned[] = []
  readonly #env: Readonly<Record<string, string>> = { XDG_STATE_HOME: this.folder }

  /** Where sockets and logs are. */
  get daemons(): string {
    return join(this.folder, 'causeway', 'daemons')
  }

  get files(): readonly string[] {
    return readdirSync(this.daemons)
  }

  attach(flags: readonly string[], cwd: string = this.folder): Spawned {
    const spawned = new Spawned(['attach', ...flags], { cwd, env: this.#env })
    this.attached.push(spawned)
    return spawned
  }

  run(...words: string[]): Promise<Outcome> {
    return run(words, { cwd: this.folder, env: this.#env })
  }

  async status(): Promise<readonly Shown[]> {
    const { stdout } = await this.run('daemon', 'status', '--json')
    return (JSON.parse(stdout) as { daemons: Shown[] }).daemons
  }

  /** A file of so many servers; each has a tool `pid`. */
  servers(count: number): string {
    const file = join(this.folder, 'servers.json')
    const list = join(this.folder, 'tools.json')
    writeFileSync(list, JSON.stringify([{ name: 'pid', inputSchema: { type: 'object' } }]))
    const entry = { command: process.execPath, args: [upstreamScript('plain'), '--tools', list] }
    const entries = Array.from({ length: count }, (_, i) => [`s${i}`, entry] as const)
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
    return file
  }

  async end(): Promise<void> {
    for (const { process: child } of this.attached) child.kill('SIGKILL')
    await Promise.all(this.attached.map(({ ended }) => ended))
    await this.run('daemon', 'stop')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The text of a result. */
export const textOf = ({ result }: Said): string => {
  const { content = [] } = (result ?? {}) as { content?: readonly { readonly text?: string }[] }
  return content.map(({ text }) => text).join('')
}

/** The processes below one, by their command lines. */
export function childrenOf(pid: number): readonly { readonly pid: number; readonly line: string }[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return pids.map(child => ({ pid: child, line: readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' ') }))
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The process that a tool `pid` names. */
export const pidIn = (said: Said): number => Number(/\d+/.exec(textOf(said))?.[0] ?? Number.NaN)
