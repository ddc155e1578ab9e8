import { memoryStore } from '@causeway/engine/stores'
import type { MemoryStore, Store } from '@causeway/engine/stores'
import { describe, expect, test } from 'vitest'
import { RemoteStream } from '../../src/transports/sessions/remote-stream.ts'
import { ResumableStream } from '../../src/transports/sessions/resumable-stream.ts'
import { eventReader } from '../support/event-reader.ts'
import type { EventReader } from '../support/event-reader.ts'

const ID = { session: 's', stream: 'r1', processId: 'a' }

/** A process that writes a stream, and another that reads it. */
function twoProcesses(): { writer: MemoryStore; reader: MemoryStore } {
  const writer = memoryStore({ processId: 'a' })
  return { writer, reader: memoryStore({ shareWith: writer, processId: 'b' }) }
}

/** A store with some of its methods replaced. */
const replacing = (store: Store, methods: Partial<Store>): Store =>
  new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get({ ...methods }, name) ?? Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })

const answer = (id: string): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} })

/** The ids that were answered, and how. */
const answersIn = ({ texts }: EventReader): string[] =>
  texts.flatMap(text => {
    const { id, result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] || '{}')
    return result || error ? [`${id} ${result ? 'result' : error.message}`] : []
  })

const numbersIn = ({ texts }: EventReader): number[] => texts.map(text => Number(/^id: r1_(\d+)$/m.exec(text)?.[1]))

async function readFrom(store: Store, after: number): Promise<EventReader> {
  const events = eventReader()
  expect(await new RemoteStream(store, ID, after).open(() => events)).toBe('resumed')
  await expect.poll(() => events.open, { interval: 5 }).toBe(false)
  return events
}

describe('a stream of a process that is gone', () => {
  test('ends with an error for a reader that was sent more than the store got', async () => {
    const { writer, reader } = twoProcesses()
    const stream = new ResumableStream('r1', writer, 's', ['k'])
    stream.push('{"n":1}')
    stream.push('{"n":2}')
    writer.close()
    const events = await readFrom(reader, 5)
    expect(numbersIn(events)).toEqual([6])
    expect(answersIn(events)).toEqual([expect.stringMatching(/^k .*has ended/)])
    // Whoever comes again is told the same.
    expect(answersIn(await readFrom(reader, 5))).toEqual(answersIn(events))
    expect(numbersIn(await readFrom(reader, 1))).toEqual([2, 6])
  })

  test('is gone for a reader that claims to have seen more than the whole of it', async () => {
    const { writer, reader } = twoProcesses()
    new ResumableStream('r1', writer, 's', ['k']).finish([answer('k')])
    writer.close()
    expect(await new RemoteStream(reader, ID, 5).open(eventReader)).toBe('gone')
  })

  test('ends once with each answer that is still owed, however many were given before', async () => {
    const { writer, reader } = twoProcesses()
    const cutAfter = (most: number): Store =>
      replacing(writer, {
        append: (log, event, ttlMs) => (event.number > most ? undefined : writer.append(log, event, ttlMs)),
      })
    new ResumableStream('r1', cutAfter(1), 's', ['a', 'b', 'c']).finish(['a', 'b', 'c'].map(answer))
    writer.close()
    const ended = expect.stringContaining('has ended')
    const events = await readFrom(reader, 0)
    expect(numbersIn(events)).toEqual([1, 2, 3])
    expect(answersIn(events)).toEqual(['a result', ended, ended])
  })

  test('ends once with each answer also where the reader that answers for it ends, too', async () => {
    const { writer, reader } = twoProcesses()
    const stream = new ResumableStream('r1', writer, 's', ['a', 'b'])
    stream.push('{"n":1}')
    writer.close()
    const events = eventReader()
    const ending = replacing(reader, {
      append: (log, event, ttlMs) => {
        if (event.number > 2) throw new Error('away')
        return reader.append(log, event, ttlMs)
      },
    })
    await new RemoteStream(ending, ID, 0).open(() => events)
    await expect.poll(() => answersIn(events), { interval: 5 }).toHaveLength(1)
    events.end()
    const rest = await readFrom(reader, 2)
    expect([...answersIn(events), ...answersIn(rest)].map(text => text.split(' ')[0])).toEqual(['a', 'b'])
  })
})

describe('a stream of another process', () => {
  test('is whole where what was published is not, while the log is read', async () => {
    const { writer, reader } = twoProcesses()
    const stream = new ResumableStream('r1', writer, 's', ['k'])
    stream.push('{"n":1}')
    let isFirst = true
    const losing = replacing(reader, {
      // As a connection that is made anew: of what is published some is missed.
      follow: (log, listener) => reader.follow(log, event => event.number === 3 || listener(event)),
      read(log, after) {
        const found = reader.read(log, after)
        if (isFirst) for (const n of [2, 3, 4]) stream.push(`{"n":${n}}`)
        isFirst = false
        return found
      },
    })
    const events = eventReader()
    await new RemoteStream(losing, ID, 0).open(() => events)
    stream.finish([answer('k')])
    await expect.poll(() => events.open, { interval: 5 }).toBe(false)
    expect(numbersIn(events)).toEqual([1, 2, 3, 4, 5])
  })

  test('ends with one answer where the call ends while its process gives up', () => {
    const { writer } = twoProcesses()
    const stream = new ResumableStream('r1', writer, 's', ['k'])
    stream.push('{"n":1}')
    stream.abandon('The server is shutting down')
    stream.finish([answer('k')])
    stream.push('{"n":2}')
    const late = eventReader()
    void stream.resume(0, () => late)
    expect(answersIn(late)).toEqual([expect.stringContaining('shutting down')])
    expect(numbersIn(late)).toEqual([1, 2])
  })
})
