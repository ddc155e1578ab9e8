import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'

/** The variable that marks every process started here, and what these start. */
export const MARK = 'MCP_GATEWAY_GUARD'
const SWEEP_MS = 50

// Reads +GROUP and -GROUP. At the end of its input, which comes however we end, it ends what is left: groups by their
// number, and on Linux what left its group by the mark in its environment.
const SCRIPT = `
trap '' HUP INT TERM
groups=''
while read -r line; do
  case "$line" in
    +*) groups="$groups \${line#+}" ;;
    quit) exit 0 ;;
    -*) rest=''; for g in $groups; do [ "$g" = "\${line#-}" ] || rest="$rest $g"; done; groups="$rest" ;;
  esac
done
for g in $groups; do kill -TERM -- "-$g" 2>/dev/null; done
[ -n "$groups" ] && sleep 1
for g in $groups; do kill -KILL -- "-$g" 2>/dev/null; done
[ -d /proc/self ] && for p in $(grep -las "$MARK_NAME=$MARK_VALUE" /proc/[0-9]*/environ); do
  n="\${p#/proc/}"
  kill -KILL "\${n%/environ}" 2>/dev/null
done
`

/** One process that is watched. */
export interface Enlisted {
  /** What is added to its environment. */
  readonly environment: Readonly<Record<string, string>>
  /** End what it started and left behind, wherever that went. */
  sweep(): void
}

/** One small process that outlives us by a second, so that nothing we started does. */
export class Guardian {
  /** What the processes of this gateway are marked with. */
  readonly mark: string = randomUUID()
  readonly #groups = new Set<number>()
  readonly #marks = new Set<string>()
  #sweeping: NodeJS.Timeout | undefined
  #enlisted = 0
  #shell: ChildProcess | undefined

  /** A mark of its own for one process and what it starts, and the end of all that carries it. */
  enlist(): Enlisted {
    const mark = `${this.mark}.${++this.#enlisted}`
    return { environment: { [MARK]: mark }, sweep: () => this.#sweepSoon(`${MARK}=${mark}\0`) }
  }

  /** Watch a group of processes. */
  adopt(group: number): void {
    this.#groups.add(group)
    this.#tell(`+${group}`)
  }

  /** The group is gone. */
  release(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`-${group}`)
  }

  /** End what is left of a gateway that closes: what left its group too. */
  async close(): Promise<void> {
    for (const group of this.#groups) signalGroup(group, 'SIGKILL')
    this.#groups.clear()
    clearTimeout(this.#sweeping)
    sweep(new Set([`${MARK}=${this.mark}.`]))
    const shell = this.#shell
    this.#shell = undefined
    if (!shell || shell.exitCode !== null) return
    await new Promise<void>(resolve => {
      shell.ref()
      shell.once('exit', () => resolve())
      // Nothing is left for it to do.
      shell.stdin?.end('quit\n')
    })
  }

  /** All processes have to be looked at, so those that end together are looked for together. */
  #sweepSoon(mark: string): void {
    this.#marks.add(mark)
    this.#sweeping ??= setTimeout(() => {
      this.#sweeping = undefined
      sweep(this.#marks)
      this.#marks.clear()
    }, SWEEP_MS).unref()
  }

  #tell(line: string): void {
    // Windows has no groups: there children end when their input does.
    if (process.platform === 'win32') return
    const shell = (this.#shell ??= this.#start())
    shell.stdin?.write(`${line}\n`)
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', MARK_NAME: MARK, MARK_VALUE: this.mark },
    })
    shell.on('error', () => {})
    shell.stdin.on('error', () => {})
    shell.unref()
    ;(shell.stdin as unknown as { unref?: () => void }).unref?.()
    return shell
  }
}

/** Send a signal to a whole group; one that is gone is no matter. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // It is gone.
  }
}

/** End what carries one of the marks, wherever it went; only Linux lets anybody look. */
function sweep(marks: ReadonlySet<string>): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid || !carries(name, marks)) continue
    try {
      process.kill(Number(name), 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
}

function carries(pid: string, marks: ReadonlySet<string>): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    if (!environment.includes(`${MARK}=`)) return false
    return [...marks].some(mark => environment.includes(mark))
  } catch {
    return false
  }
}
