import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { GUARDIAN } from './descendants.ts'
import { MARK } from './process-group.ts'

// Reads what to watch (`kill -s`, since dash takes no `--` after `-TERM`). At the end of its input, which comes however we end, it asks the processes to end, waits for
// them, and kills what is left; on Linux also what they had started, and whatever has one of the marks in its environment.
const SCRIPT = `
trap '' HUP INT TERM
without() { rest=''; for one in $1; do [ "$one" = "$2" ] || rest="$rest $one"; done; }
targets=''
marks=''
while read -r sign value; do
  case "$sign" in
    watch) targets="$targets $value" ;;
    release) without "$targets" "$value"; targets="$rest" ;;
    mark) marks="$marks $value" ;;
    unmark) without "$marks" "$value"; marks="$rest" ;;
  esac
done
strays=''
below() {
  for c in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    case "$(tr '\\000' ' ' 2>/dev/null <"/proc/$c/cmdline")" in *${GUARDIAN}*) ;; *) strays="$strays $c"; below "$c" ;; esac
  done
}
for t in $targets; do case "$t" in -*) below "\${t#-}" ;; esac; done
[ "$GRACE" -gt 0 ] && for t in $targets; do kill -s TERM -- "$t" 2>/dev/null; done
turn=0
while [ -n "$targets" ] && [ "$turn" -lt "$GRACE" ]; do
  left=''
  for t in $targets; do kill -s 0 -- "$t" 2>/dev/null && left="$left $t"; done
  targets="$left"
  [ -n "$targets" ] && sleep 1
  turn=$((turn + 1))
done
for t in $targets $strays; do kill -s KILL -- "$t" 2>/dev/null; done
[ -d /proc/self ] && for m in $marks; do
  turn=0
  while [ "$turn" -lt 50 ]; do
    found=$(grep -lasF -e "${MARK}=$m" /proc/[0-9]*/environ)
    [ -z "$found" ] && break
    for p in $found; do n="\${p#/proc/}"; kill -s KILL "\${n%/environ}" 2>/dev/null; done
    sleep 0.02
    turn=$((turn + 1))
  done
done
[ -n "$FOLDER" ] && rm -rf "$FOLDER"
`

/** What is done with processes that are still there. */
export interface GuardianOptions {
  /** Seconds that processes get to end by themselves; default: 1. */
  readonly graceSeconds?: number
  /** A folder that is removed at the end. */
  readonly folder?: string
}

/** A small second process that outlives this one, so that nothing that is watched does, even if this one is killed. */
export class Guardian {
  readonly #options: GuardianOptions
  /** What it watches. */
  readonly #lines = new Set<string>()
  #shell: ChildProcess | undefined

  constructor(options: GuardianOptions = {}) {
    this.#options = options
    // The folder is there from the beginning.
    if (options.folder !== undefined) this.#shell = this.#start()
  }

  /** Watch a process, or a group of processes by its negative number. */
  watch(target: number | undefined): void {
    if (target !== undefined) this.#add('watch', target)
  }

  release(target: number | undefined): void {
    if (target !== undefined) this.#remove('watch', 'release', target)
  }

  /** Look for processes with this mark in their environment, see `MARK`; said before the first is started. */
  mark(mark: string): void {
    this.#add('mark', mark)
  }

  unmark(mark: string): void {
    this.#remove('mark', 'unmark', mark)
  }

  /** Is anything watched? */
  get isIdle(): boolean {
    return this.#lines.size === 0
  }

  /** End what is still watched, and the second process. */
  async close(): Promise<void> {
    const shell = this.#shell
    this.#shell = undefined
    this.#lines.clear()
    if (!shell || shell.exitCode !== null || shell.pid === undefined) return
    await new Promise<void>(resolve => {
      shell.ref()
      shell.once('exit', () => resolve())
      shell.stdin?.end()
    })
  }

  #add(sign: string, value: string | number): void {
    // Windows has no groups: there children end when their input does.
    if (process.platform === 'win32') return
    this.#lines.add(`${sign} ${value}`)
    this.#shell ??= this.#start()
    this.#shell?.stdin?.write(`${sign} ${value}\n`)
  }

  #remove(added: string, sign: string, value: string | number): void {
    if (this.#lines.delete(`${added} ${value}`)) this.#shell?.stdin?.write(`${sign} ${value}\n`)
  }

  #start(): ChildProcess | undefined {
    if (process.platform === 'win32') return undefined
    const { graceSeconds = 1, folder = '' } = this.#options
    const shell = spawn('/bin/sh', ['-c', SCRIPT, GUARDIAN], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', GRACE: String(graceSeconds), FOLDER: folder },
    })
    shell.on('error', () => {})
    shell.stdin.on('error', () => {})
    shell.unref()
    ;(shell.stdin as unknown as { unref?: () => void }).unref?.()
    return shell
  }
}
