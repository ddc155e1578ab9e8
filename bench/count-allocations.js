import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { launch, stop, within } from './load.js'
import { median } from './report.js'

const probe = fileURLToPath(new URL('heap-probe.js', import.meta.url))
const turns = 8
const calls = 4000
const warmCalls = 24_000
const probeMs = 10_000
// So much room for new objects that nothing is collected while it counts.
const room = ['--min-semi-space-size=256', '--max-semi-space-size=256']

/** Bytes that the main thread of a server allocates on its heap per call: the median of turns without a collection. */
export async function allocationsPerCall({ flags, open }, folder) {
  const script = join(folder, 'packages/cli/bin/causeway.js')
  const args = [...room, '--import', probe, script, 'serve', ...flags(script)]
  const server = launch({ name: 'causeway', args, stdio: ['pipe', 'pipe', 'pipe', 'ipc'], patience: 10 })
  try {
    const call = await open(server)
    await call(warmCalls)
    const samples = []
    for (let turn = 0; turn < turns; turn++) {
      const before = await allocated(server)
      await call(calls)
      const after = await allocated(server)
      if (after.collections === before.collections) samples.push((after.heapUsed - before.heapUsed) / calls)
    }
    if (samples.length === 0) throw new Error('the heap was collected in every turn')
    return Math.round(median(samples))
  } finally {
    await stop(server)
  }
}

async function allocated(server) {
  const [answer] = await within(server, probeMs, (server.child.send(0), once(server.child, 'message')))
  return answer
}
