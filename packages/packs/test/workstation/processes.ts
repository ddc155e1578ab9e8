import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** Every process whose command line contains a text; those that only wait to be buried have none. */
export function running(text: string): number[] {
  const pids = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
  return pids.filter(pid => {
    const command = commandOf(pid)
    return pid !== process.pid && command !== '' && command.includes(text)
  })
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Wait until something is so; the test's own timeout is the limit. Looking without a pause would take a core from what is waited for. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(30)
}

/** The processes that a process started and that have not ended. */
export function children(parent: number): number[] {
  return running('').filter(pid => Number(/^PPid:\s*(\d+)/m.exec(statusOf(pid))?.[1]) === parent)
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
