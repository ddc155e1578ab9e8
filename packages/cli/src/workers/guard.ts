import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

// Workers end by themselves when their channel to us closes. One that is stuck in a loop cannot: so this reads +PID and
// -PID, and at the end of its input, which comes however we end, gives those that are left some seconds.
const SCRIPT = `
trap '' HUP INT TERM
pids=''
while read -r line; do
  case "$line" in
    +*) pids="$pids \${line#+}" ;;
    -*) rest=''; for p in $pids; do [ "$p" = "\${line#-}" ] || rest="$rest $p"; done; pids="$rest" ;;
  esac
done
for turn in 1 2 3 4 5 6 7 8; do
  left=''
  for p in $pids; do kill -0 "$p" 2>/dev/null && left="$left $p"; done
  pids="$left"
  [ -z "$left" ] && break
  sleep 1
done
for p in $pids; do kill -KILL "$p" 2>/dev/null; done
rm -rf "$FOLDER"
`

/** One small process that outlives us for a moment, so that no worker does. */
export class Guard {
  readonly #shell: ChildProcess | undefined

  /** `folder` is removed when nobody is left who needs it. */
  constructor(folder: string) {
    if (process.platform === 'win32') return
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', FOLDER: folder }
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env })
    shell.on('error', () => {})
    shell.stdin.on('error', () => {})
    shell.unref()
    this.#shell = shell
  }

  watch(pid: number | undefined): void {
    if (pid !== undefined) this.#shell?.stdin?.write(`+${pid}\n`)
  }

  release(pid: number | undefined): void {
    if (pid !== undefined) this.#shell?.stdin?.write(`-${pid}\n`)
  }

  /** There is nobody left to watch. */
  async close(): Promise<void> {
    const shell = this.#shell
    if (!shell || shell.exitCode !== null || shell.pid === undefined) return
    await new Promise<void>(resolve => {
      shell.ref()
      shell.once('exit', () => resolve())
      shell.stdin?.end()
    })
  }
}
