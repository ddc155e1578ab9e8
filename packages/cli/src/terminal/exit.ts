import { setTimeout } from 'node:timers/promises'

const GRACE_MS = 2000
const EVERY_MS = 20

/** End the process, even if a file operation hangs: Node alone would wait for its thread without end. */
export async function exit(code: number): Promise<never> {
  for (const until = performance.now() + GRACE_MS; isReading() && performance.now() < until;) await setTimeout(EVERY_MS)
  if (!isReading()) return process.exit(code)
  process.stderr.write('causeway: a file operation hangs; ending without it\n')
  process.kill(process.pid, 'SIGKILL')
  return new Promise<never>(() => {})
}

/** Is an operation on files still under way? */
const isReading = (): boolean => process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'))
