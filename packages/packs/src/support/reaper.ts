import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'

/** A child that leads a process group of its own. */
export interface Group {
  readonly pid: number
  /** What its processes carry in their environment, so that those that left the group are found too. */
  readonly mark?: string | undefined
}

/** The variable that carries the mark. */
export const MARK = 'CAUSEWAY_RUN'

const live = new Set<Group>()
// How long dying may take on a busy machine, and how often to look.
const PATIENCE_MS = 1000
const PAUSE_MS = 5
const isLinux = process.platform === 'linux'
let armed = false

/** Remember a group until it is forgotten; if this process ends first, the group ends with it. */
export function remember(group: Group): void {
  if (!armed) process.on('exit', killAll)
  armed = true
  live.add(group)
}

/** The group is gone. */
export const forget = (group: Group): void => void live.delete(group)

/** Send a signal to every process of the group. */
export function signalGroup({ pid }: Group, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    return
  }
  signalIfThere(-pid, signal)
}

/** End what is left of the group, and what left it; done when it is gone, or will not go. */
export async function reap(group: Group): Promise<void> {
  const late = performance.now() + PATIENCE_MS
  do {
    signalGroup(group, 'SIGKILL')
    const strays = group.mark === undefined || !isLinux ? [] : await marked(group.mark)
    for (const pid of strays) signalIfThere(pid, 'SIGKILL')
    if (strays.length === 0 && !isThere(group)) return
    await new Promise(resolve => void setTimeout(resolve, PAUSE_MS))
  } while (performance.now() < late)
}

/** Is there anything left of the group, be it only waiting to be buried? */
function isThere({ pid }: Group): boolean {
  if (process.platform === 'win32') return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

function killAll(): void {
  for (const group of live) {
    signalGroup(group, 'SIGKILL')
    if (group.mark !== undefined && isLinux) for (const pid of markedNow(group.mark)) signalIfThere(pid, 'SIGKILL')
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already, or never ours to end.
  }
}

async function marked(mark: string): Promise<number[]> {
  const found = pids(await readdir('/proc')).map(async pid =>
    carries(await readFile(environOf(pid), 'latin1').catch(() => ''), mark) ? [pid] : [],
  )
  return (await Promise.all(found)).flat()
}

function markedNow(mark: string): number[] {
  return pids(readdirSync('/proc')).filter(pid => {
    try {
      return carries(readFileSync(environOf(pid), 'latin1'), mark)
    } catch {
      return false
    }
  })
}

const pids = (names: readonly string[]): number[] => names.filter(name => /^\d+$/.test(name)).map(Number)
const environOf = (pid: number): string => `/proc/${pid}/environ`
const carries = (environ: string, mark: string): boolean => `\0${environ}`.includes(`\0${MARK}=${mark}\0`)
