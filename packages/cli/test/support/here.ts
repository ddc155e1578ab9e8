import { vi } from 'vitest'
import type { Outcome } from '../../../../test/support/spawned.ts'
import { main } from '../../src/main.ts'

/** Run a command line in this process, which is faster than starting another; what it prints is kept. */
export async function runHere(line: string | readonly string[]): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' }
  const keep = (where: 'stdout' | 'stderr') =>
    vi.spyOn(process[where], 'write').mockImplementation(((text: string, done?: () => void) => {
      printed[where] += text
      done?.()
      return true
    }) as typeof process.stdout.write)
  const spies = [keep('stdout'), keep('stderr')]
  try {
    const code = await main(typeof line === 'string' ? line.split(' ').filter(word => word !== '') : line)
    return { code, ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
