import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const allowed = findAllowed()

/** Whether this machine lets us pin threads to a core (Linux with `taskset`). */
export const canPin = allowed !== undefined

/**
 * Runs `work` with the main threads of this process and of `pid` on one core. With one call in flight the two take
 * turns, and waking a sleeping core can cost more than the call: left free, the figure is a coin toss.
 */
export async function onOneCore(pid, work) {
  if (!canPin) return work()
  const [core] = allowed.split(/[-,]/)
  pin(process.pid, core)
  try {
    pin(pid, core)
    return await work()
  } finally {
    pin(process.pid, allowed)
  }
}

function findAllowed() {
  try {
    const [, cores] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
    pin(process.pid, cores)
    return cores
  } catch {
    return undefined
  }
}

function pin(pid, cores) {
  execFileSync('taskset', ['-cp', cores, String(pid)], { stdio: 'ignore' })
}
