import { afterEach, expect, test, vi } from 'vitest'
import type { ResponseHandler } from '../../src/client/transports/http-client.ts'
import { StandaloneStream } from '../../src/client/transports/standalone-stream.ts'

afterEach(() => void vi.useRealTimers())

test('a server that wants its stream asked for again at once is asked ten times a second at most', async () => {
  vi.useFakeTimers()
  let opened = 0
  const open = (_: string | undefined, handler: ResponseHandler): { abort(): void } => {
    opened += 1
    queueMicrotask(() => {
      handler.onStart(200, { 'content-type': 'text/event-stream' })
      handler.onText(`id: ${opened}\nretry: 0\ndata: {}\n\n`, 20)
      handler.onEnd()
    })
    return { abort() {} }
  }
  const stream = new StandaloneStream({ limit: 1000, open, onOpen() {}, onMessage() {} })
  await vi.advanceTimersByTimeAsync(1000)
  expect(opened).toBeGreaterThan(5)
  expect(opened).toBeLessThanOrEqual(11)
  stream.close()
})
