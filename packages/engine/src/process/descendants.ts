import { readFileSync, readdirSync } from 'node:fs'

/** A process, and when it began: a number alone may be another one's by now. */
export interface Descendant {
  readonly pid: number
  readonly since: string
}

/** Stands in the command line of guardians, which end by themselves when they have done their work. */
export const GUARDIAN = 'causeway-guardian'

// No machine runs more.
const MOST = 100_000

/** The children of a process, their children, and so on, as long as no process between them has ended; Linux only. */
export function descendantsOf(pid: number): Descendant[] {
  const found: Descendant[] = []
  const waiting = [pid]
  for (let next = waiting.pop(); next !== undefined && found.length < MOST; next = waiting.pop())
    for (const child of childrenOf(next)) {
      found.push({ pid: child, since: startOf(child) ?? '' })
      waiting.push(child)
    }
  return found
}

// Of all machines that Linux runs on; where pages are larger, less is counted than there is.
const PAGE_BYTES = 4096

/** What a process and all below it hold in memory, in bytes; Linux only, elsewhere 0. */
export const memoryOf = (pid: number): number =>
  [pid, ...descendantsOf(pid).map(one => one.pid)].reduce((sum, one) => sum + residentBytes(one), 0)

function residentBytes(pid: number): number {
  try {
    const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    return Number(resident) * PAGE_BYTES
  } catch {
    return 0
  }
}

/** Is it still that process? */
export const isStill = ({ pid, since }: Descendant): boolean => since !== '' && startOf(pid) === since

function childrenOf(pid: number): number[] {
  try {
    const folder = `/proc/${pid}/task`
    // Children belong to the thread that started them.
    const lists = readdirSync(folder).map(thread => readFileSync(`${folder}/${thread}/children`, 'latin1'))
    return lists.flatMap(list => list.split(' ').filter(Boolean).map(Number)).filter(child => !isGuardian(child))
  } catch {
    return []
  }
}

function isGuardian(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(GUARDIAN)
  } catch {
    return false
  }
}

/** The state and the time a process began, from behind its name, which may contain anything; undefined for one that has ended. */
function startOf(pid: number): string | undefined {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' || state === 'X' ? undefined : fields[18]
  } catch {
    return undefined
  }
}
