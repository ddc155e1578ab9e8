import { listeningAt } from '../interop/listening.ts'
import { Spawned } from '../support/spawned.ts'

/** One way of starting the command, and every process that was started so. */
export class World {
  /** The arguments of `node`. */
  readonly command: readonly string[]
  readonly #started: Spawned[] = []
  #http: Spawned | undefined

  constructor(command: readonly string[]) {
    this.command = command
  }

  spawn(...flags: readonly string[]): Spawned {
    const [script = '', ...args] = this.command
    const spawned = new Spawned([...args, ...flags], { script })
    this.#started.push(spawned)
    return spawned
  }

  /** Where it listens: one process for all who ask. */
  url(): Promise<string> {
    this.#http ??= this.spawn('--http', '--port', '0')
    return listeningAt(this.#http)
  }

  /** Everything its processes have written on stderr. */
  stderr(): string {
    return this.#started.map(({ stderr }) => stderr).join('')
  }

  /** How often its processes have written that line on stderr. */
  written(line: string): number {
    return this.#started.reduce((sum, { stderr }) => sum + stderr.split('\n').filter(l => l === line).length, 0)
  }

  async end(): Promise<void> {
    for (const { process } of this.#started) process.kill('SIGKILL')
    await Promise.all(this.#started.map(({ ended }) => ended))
  }
}
