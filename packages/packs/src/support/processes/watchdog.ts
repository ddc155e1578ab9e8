import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { MARK } from './reaper.ts'

const watched = new Set<string>()
let dog: ChildProcess | undefined

/**
 * Have a second process end what carries the mark should this one be killed without a chance to do so itself. Told
 * before anything is started, so that there is no moment in which it does not know.
 */
export function watch(mark: string): void {
  watched.add(mark)
  dog ??= release()
  dog.stdin?.write(`${mark}\n`)
}

/** Where there is no looking at other processes' marks, the group is ended instead. */
export function watchGroup(mark: string, pid: number): void {
  dog?.stdin?.write(`${mark} ${pid}\n`)
}

/** Nothing carries the mark any more; the second process ends with the last one. */
export function unwatch(mark: string): void {
  if (!watched.delete(mark)) return
  dog?.stdin?.write(`-${mark}\n`)
  if (watched.size > 0) return
  dog?.kill('SIGKILL')
  dog = undefined
}

function release(): ChildProcess {
  const child = spawn(process.execPath, ['-e', `(${standGuard.toString()})(${JSON.stringify(MARK)})`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
    windowsHide: true,
  })
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  child.unref()
  return child
}

/** Runs in the second process, so it may use nothing from outside: reads marks, and ends what carries one when the pipe closes. */
function standGuard(variable: string): void {
  const { readFileSync, readdirSync } = process.getBuiltinModule('fs')
  const groups = new Map<string, number>()
  let rest = ''
  const onLine = (line: string): void => {
    const [mark = '', pid = '0'] = line.split(' ')
    if (mark.startsWith('-')) groups.delete(mark.slice(1))
    else groups.set(mark, Number(pid))
  }
  process.stdin.setEncoding('latin1').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(onLine)
  })
  const kill = (pid: number): void => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
  const isMarked = (pid: string): boolean => {
    try {
      const environ = readFileSync(`/proc/${pid}/environ`, 'latin1')
      return [...groups.keys()].some(mark => environ.includes(`${variable}=${mark}\0`))
    } catch {
      return false
    }
  }
  process.stdin.on('close', () => {
    for (const pid of groups.values()) if (pid > 0) kill(-pid)
    if (process.platform !== 'linux') return
    let rounds = 100
    const sweep = setInterval(() => {
      const found = readdirSync('/proc').filter(isMarked)
      for (const pid of found) kill(Number(pid))
      if (found.length === 0 || --rounds === 0) clearInterval(sweep)
    }, 20)
  })
}
