import { expect, test } from 'vitest'
import { createServer, fault, tool } from '@causeway/engine'
import { observe } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { CallObserver } from '@causeway/engine/policies'

/** What one observer saw of each call: whether it waited, and how it ended. */
function watched(): { seen: string[]; observer: CallObserver } {
  const seen: string[] = []
  return {
    seen,
    observer: {
      onWait: ({ params }) => void seen.push(`${String(params.name)} waits`),
      onEnd: ({ method, params }, { outcome, waited, durationMs }) => {
        expect(durationMs).toBeGreaterThanOrEqual(0)
        if (method === 'tools/call') seen.push(`${String(params.name)} ${outcome}${waited ? ' later' : ''}`)
      },
    },
  }
}

function served(...observers: CallObserver[]): ReturnType<typeof connect> {
  const server = createServer({ name: 'observed', version: '1', log: false })
  server.use(observe(observers)).add(
    tool({ name: 'at_once' }, () => 'ok'),
    tool({ name: 'later' }, async () => 'ok'),
    tool({ name: 'fails' }, () => {
      throw new Error('no')
    }),
    tool({ name: 'fails_later' }, () => Promise.reject(new Error('no'))),
    tool({ name: 'busy' }, () => {
      throw fault('busy', 'Busy')
    }),
    tool({ name: 'error_result' }, () => ({ content: [], isError: true })),
  )
  return connect(server)
}

test('every observer sees each call end once, and whether it waited', async () => {
  const [first, second] = [watched(), watched()]
  const client = served(first.observer, second.observer)
  for (const name of ['at_once', 'later', 'fails', 'fails_later', 'busy', 'error_result', 'nowhere'])
    await client.call(name).catch(() => {})
  expect(first.seen).toEqual([
    'at_once ok',
    'later waits',
    'later ok later',
    'fails tool-failed',
    'fails_later waits',
    'fails_later tool-failed later',
    'busy busy',
    'error_result failed',
    'nowhere unknown-tool',
  ])
  expect(second.seen).toEqual(first.seen)
})

test('results and errors pass unchanged', async () => {
  const client = served(watched().observer)
  const plain = served()
  for (const name of ['at_once', 'later', 'fails', 'busy', 'error_result', 'nowhere']) {
    const [seen, unseen] = await Promise.all(
      [client, plain].map(one => one.request('tools/call', { name, arguments: {} }).catch((error: unknown) => error)),
    )
    expect(seen).toEqual(unseen)
  }
})
