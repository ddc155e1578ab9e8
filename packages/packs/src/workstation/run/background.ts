import { randomBytes } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { fault } from '@causeway/engine'
import type { Context } from '@causeway/engine'
import { run } from '../../support/processes/exec.ts'
import type { Outcome } from '../../support/processes/exec.ts'
import { quote } from '../../support/quote.ts'
import { commandFor } from './run-program.ts'
import { OutputRing } from './output-ring.ts'
import { clientKey, whenOver } from '../../support/client-key.ts'
import { elsewhere } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'

/** A command that runs, or ran, in the background. */
export interface BackgroundCommand {
  readonly id: string
  /** Undefined where nothing tells one client from another: then its id, which cannot be guessed, is known to the one it was given. */
  readonly client: string | undefined
  /** Who is counted as one: may be several clients. */
  readonly countedAs: string
  readonly line: string
  readonly output: OutputRing
  readonly startedAt: number
  /** How it ended, in words; undefined while it runs. */
  end: string | undefined
  endedAt: number | undefined
  /** Settles when it is gone with everything it started. */
  readonly over: Promise<void>
  readonly stop: () => void
  /** Called when there is more output, and at the end. */
  readonly more: Set<() => void>
}

/** What to start, and for how long at most. */
export interface Starting {
  readonly words: readonly string[]
  readonly line: string
  readonly directory: string
  readonly env?: Readonly<Record<string, string>>
  readonly lifeMs: number
}

const RUNNING_PER_CLIENT = 8
const RUNNING_PER_OWNER = 16
const RUNNING_IN_ALL = 64
const ENDED_PER_CLIENT = 16
const ENDED_IN_ALL = 128
const OUTPUT_BYTES = 1024 * 1024
// So long a start is waited for, to say at once that a program is missing or fails.
const SETTLE_MS = 250

/** The error for a client that cannot be distinguished from others. */
export const NOT_LISTED =
  'Without a session or a token commands are not listed; use the id that start_command gave, or begin a session.'

/** The commands in the background of all who use a server: each sees and stops only its own. */
export class BackgroundCommands {
  readonly #workspace: Workspace
  #commands: BackgroundCommand[] = []
  #count = 0
  readonly #watched = new Set<string>()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** Those of a caller, the newest last. */
  of(ctx: Context): readonly BackgroundCommand[] {
    const client = clientKey(ctx)
    return client === undefined ? [] : this.#ofKey(client)
  }

  find(ctx: Context, id: string): BackgroundCommand {
    const client = clientKey(ctx)
    const mine = this.#ofKey(client)
    const found = mine.find(command => command.id === id)
    if (found) return found
    const known = this.#known(client, mine)
    const hint = elsewhere(this.#workspace, 'commands')
    throw fault('invalid-arguments', `Parameter 'id' must name a command, got ${quote(id)}. ${known}${hint}`, {
      argument: 'id',
      sent: id.slice(0, 100),
    })
  }

  #ofKey(client: string | undefined): readonly BackgroundCommand[] {
    return this.#commands.filter(command => command.client === client)
  }

  #known(client: string | undefined, mine: readonly BackgroundCommand[]): string {
    if (client === undefined) return NOT_LISTED
    return mine.length === 0 ? 'There are none; start one with start_command.' : `Known: ${names(mine)}.`
  }

  async start(ctx: Context, starting: Starting): Promise<BackgroundCommand> {
    const { jail } = this.#workspace
    const asked = { path: starting.directory, argument: 'workingDirectory' }
    const started = await jail.inside(asked, async dir => {
      const { words, directory, env = {} } = starting
      const job = { words, directory, env, argument: 'workingDirectory' }
      const command = await commandFor(this.#workspace, job, dir)
      // Counted in the moment it starts, so that many at once are not too many.
      this.#makeRoom(ctx)
      return this.#add(ctx, starting, (signal, onBytes) =>
        run({ ...command, signal, onBytes, timeoutMs: starting.lifeMs, partial: true, keep: 1024, wild: true }),
      )
    })
    await Promise.race([started.over, after(SETTLE_MS, undefined, { ref: false })])
    return started
  }

  #makeRoom(ctx: Context): void {
    const runs = ({ end }: BackgroundCommand): boolean => end === undefined
    const client = clientKey(ctx)
    const mine = this.#ofKey(client).filter(runs)
    const which = client === undefined ? '' : `: ${names(mine)}`
    if (mine.length >= RUNNING_PER_CLIENT)
      throw new Error(`${mine.length} commands run already${which}. End one with stop_command first.`)
    // One principal, or one network, may have any number of sessions.
    const shared = this.#commands.filter(command => runs(command) && command.countedAs === ctx.clientKey)
    if (shared.length >= RUNNING_PER_OWNER)
      throw new Error(`${shared.length} commands of your sessions run already. End one with stop_command first.`)
    if (this.#commands.filter(runs).length >= RUNNING_IN_ALL)
      throw new Error(`${RUNNING_IN_ALL} commands run on this server already: try again later.`)
  }

  #add(
    ctx: Context,
    { line }: Starting,
    begin: (signal: AbortSignal, onBytes: (bytes: Buffer) => void) => Promise<Outcome>,
  ): BackgroundCommand {
    const client = clientKey(ctx)
    const stopping = new AbortController()
    const [output, more] = [new OutputRing(OUTPUT_BYTES), new Set<() => void>()]
    const tell = (): void => {
      for (const look of more) look()
    }
    const running = begin(stopping.signal, bytes => {
      output.push(bytes)
      tell()
    })
    const finish = (end: string): void => {
      Object.assign(command, { end, endedAt: performance.now() })
      tell()
      this.#forget()
    }
    const over = running.then(
      outcome => finish(howItEnded(outcome)),
      (error: unknown) => finish(stopping.signal.aborted ? 'was stopped' : `failed: ${wordsOf(error)}`),
    )
    const stop = (): void => stopping.abort(new Error('Stopped'))
    // Two processes of one port must not give two commands one id: the wrong one would be read, or stopped.
    const { processName } = this.#workspace
    const own = client === undefined ? randomBytes(18).toString('base64url') : String(++this.#count)
    const id = `command-${processName === undefined ? '' : `${processName}-`}${own}`
    const command: BackgroundCommand = {
      id,
      client,
      countedAs: ctx.clientKey,
      line,
      output,
      more,
      over,
      stop,
      startedAt: performance.now(),
      end: undefined,
      endedAt: undefined,
    }
    this.#commands.push(command)
    this.#endWithSession(ctx, client)
    return command
  }

  /** With a session all its commands end, and nothing is known of them any more. */
  #endWithSession(ctx: Context, client: string | undefined): void {
    if (client === undefined) return
    if (this.#watched.has(client) && !ctx.session?.signal.aborted) return
    if (ctx.session) this.#watched.add(client)
    whenOver(ctx, () => {
      this.#watched.delete(client)
      for (const command of this.#commands) if (command.client === client) command.stop()
      this.#commands = this.#commands.filter(command => command.client !== client || command.end === undefined)
      for (const command of this.#commands)
        if (command.client === client)
          void command.over.then(() => {
            this.#commands = this.#commands.filter(other => other !== command)
          })
    })
  }

  /** The output of what ended is kept for a while. */
  #forget(): void {
    const ended = this.#commands.filter(({ end }) => end !== undefined)
    const tooMany = new Set(ended.slice(0, Math.max(0, ended.length - ENDED_IN_ALL)))
    for (const client of new Set(ended.map(command => command.client))) {
      const theirs = ended.filter(command => command.client === client)
      for (const command of theirs.slice(0, Math.max(0, theirs.length - ENDED_PER_CLIENT))) tooMany.add(command)
    }
    this.#commands = this.#commands.filter(command => !tooMany.has(command))
  }
}

const names = (commands: readonly BackgroundCommand[]): string => commands.map(({ id }) => id).join(', ')

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function howItEnded({ code, signal, late }: Outcome): string {
  if (late) return 'was stopped since its time was up'
  return code === null ? `was ended by ${String(signal)}` : `ended with exit code ${code}`
}
