import { concurrency } from '@causeway/engine/policies'
import { describe, expect, test, vi } from 'vitest'
import { clientOf, entryOf, gatewayTo, textOf } from '../support/world.ts'

describe.each(['stdio', 'http'])('a call over %s that its client gives up', door => {
  test('ends, and gives back the place it ran in', async () => {
    const { server, gateway } = await gatewayTo({ up: await entryOf('sdk-v1', door) })
    const outcomes: string[] = []
    server.use(concurrency({ running: 1, waiting: 0 }), (call, next) => {
      const result = next(call)
      if (result instanceof Promise && call.params.name === 'up__forever') {
        result.then(
          () => outcomes.push('answered'),
          (error: Error) => outcomes.push(error.name),
        )
      }
      return result
    })
    await gateway.servers.get('up')?.refresh()
    const client = await clientOf(server)
    for (let round = 1; round <= 3; round++) {
      const giveUp = new AbortController()
      const options = { signal: giveUp.signal, onProgress: () => giveUp.abort() }
      await expect(client.callTool('up__forever', {}, options)).rejects.toThrow(/abort|cancel/i)
      await vi.waitFor(() => expect(outcomes).toEqual(Array.from({ length: round }, () => 'AbortError')), 10_000)
    }
    expect(textOf(await client.callTool('up__echo', { text: 'still served' }))).toContain('still served')
    expect(gateway.status[0]).toMatchObject({ inFlight: 0 })
  })
})
