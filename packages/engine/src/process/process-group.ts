import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { descendantsOf, isStill } from './descendants.ts'
import type { Descendant } from './descendants.ts'

/** A child that leads a process group of its own. */
export interface Group {
  readonly pid: number
  /** What its processes carry in their environment, so that those that left the group are found too. */
  readonly mark?: string | undefined
}

/** The variable of the environment that carries the mark. Not CAUSEWAY_…, which are settings: a child may be this command. */
export const MARK = 'MCP_PROCESS_MARK'

const IN_ENVIRON = new RegExp(`(?:^|\\0)${MARK}=([^\\0]*)`)
// A program's name stands in parentheses and may contain anything; behind it: state, parent, group.
const LIVING = /\) [^ZX] \d+ (\d+) [^)]*$/
const live = new Set<Group>()
/** By the leader of a group, what it had started when the group was last told to end. */
const strays = new Map<number, readonly Descendant[]>()
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
  noteDescendants(pid)
  signalIfThere(-pid, signal)
}

/** To be called before a group is told to end. Once a process between them has ended, nothing tells any more who started what left its group and cleared its environment. */
export function noteDescendants(pid: number): void {
  if (!isLinux) return
  const found = descendantsOf(pid)
  if (found.length > 0) strays.set(pid, [...(strays.get(pid) ?? []), ...found])
}

/** End what was started by a group and left it; true if something was there. */
function killStrays(pid: number): boolean {
  const left = (strays.get(pid) ?? []).filter(isStill)
  for (const one of left) for (const { pid: each } of [...descendantsOf(one.pid), one]) signalIfThere(each, 'SIGKILL')
  if (left.length === 0) strays.delete(pid)
  return left.length > 0
}

/** Kill what is left of the group, and what left it; resolves when it is gone, or after a second. */
export async function reap(group: Group): Promise<void> {
  const late = performance.now() + PATIENCE_MS
  do {
    signalGroup(group, 'SIGKILL')
    const left = await remains(group)
    for (const pid of left) signalIfThere(pid, 'SIGKILL')
    if (!killStrays(group.pid) && left.length === 0) return
    await new Promise(resolve => void setTimeout(resolve, PAUSE_MS))
  } while (performance.now() < late)
}

/** What still runs of the group, in it or away from it; zombies do not count. */
async function remains({ pid, mark }: Group): Promise<readonly number[]> {
  const isEmpty = !signalIfThere(-pid, 0)
  if (!isLinux) return isEmpty ? [] : [-pid]
  if (isEmpty && mark === undefined) return []
  const { byGroup, byMark } = await scanProcesses()
  return [...(byGroup.get(pid) ?? []), ...(byMark.get(mark ?? '') ?? [])]
}

function killAll(): void {
  for (const group of live) {
    signalGroup(group, 'SIGKILL')
    killStrays(group.pid)
    if (group.mark !== undefined && isLinux) for (const pid of markedNow(group.mark)) signalIfThere(pid, 'SIGKILL')
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // Gone already, or never ours to end.
    return false
  }
}

interface ProcessScan {
  readonly byGroup: Map<number, number[]>
  readonly byMark: Map<string, number[]>
}

let currentScan: Promise<ProcessScan> | undefined
let nextScan: Promise<ProcessScan> | undefined

/** Every process that runs, as of now or later; those who ask while someone looks share the next look. */
function scanProcesses(): Promise<ProcessScan> {
  if (currentScan) {
    nextScan ??= currentScan.then(() => {
      nextScan = undefined
      return scanProcesses()
    })
    return nextScan
  }
  currentScan = everyProcess().finally(() => {
    currentScan = undefined
  })
  return currentScan
}

async function everyProcess(): Promise<ProcessScan> {
  const sight: ProcessScan = { byGroup: new Map(), byMark: new Map() }
  const read = (pid: number, file: string): Promise<string> =>
    readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
  const all = pids(await readdir('/proc')).map(async pid => {
    const group = LIVING.exec(await read(pid, 'stat'))?.[1]
    if (group === undefined) return
    note(sight.byGroup, Number(group), pid)
    const mark = markIn(await read(pid, 'environ'))
    if (mark !== undefined) note(sight.byMark, mark, pid)
  })
  await Promise.all(all)
  return sight
}

function note<K>(map: Map<K, number[]>, key: K, pid: number): void {
  const known = map.get(key)
  if (known) known.push(pid)
  else map.set(key, [pid])
}

function markedNow(mark: string): number[] {
  return pids(readdirSync('/proc')).filter(pid => {
    try {
      return markIn(readFileSync(`/proc/${pid}/environ`, 'latin1')) === mark
    } catch {
      return false
    }
  })
}

const pids = (names: readonly string[]): number[] => names.filter(name => /^\d+$/.test(name)).map(Number)
const markIn = (environ: string): string | undefined => IN_ENVIRON.exec(environ)?.[1]
