import { createServer, tool } from '@causeway/engine'
import { connectRemote, httpTransport } from '@causeway/engine/client'
import type { Introduction, KnownSession, Remote, SessionSharing } from '@causeway/engine/client'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { expect, onTestFinished, test, vi } from 'vitest'

const KNOWN: KnownSession = {
  id: 'known',
  version: '2025-11-25',
  capabilities: { tools: {} },
  server: { name: 'up', version: '1' },
  instructions: undefined,
}

async function served(): Promise<HttpService> {
  const server = createServer({ name: 'up', version: '1', log: () => {} })
  server.add(tool({ name: 'one' }, (_, ctx) => String(ctx.session?.id)))
  const service = await serveHttp(server, { port: 0 })
  onTestFinished(() => service.close())
  return service
}

const optionsWith = (sessions: SessionSharing): Introduction => ({
  client: { name: 'tester', version: '1' },
  capabilities: {},
  version: '2025-11-25',
  startTimeoutMs: 5000,
  timeoutMs: 5000,
  sessions,
})

const sharing = (known?: KnownSession) => ({
  find: vi.fn<SessionSharing['find']>().mockImplementation(async lost => (known?.id === lost ? undefined : known)),
  keep: vi.fn<SessionSharing['keep']>().mockImplementation(async begun => begun),
  leave: vi.fn<SessionSharing['leave']>().mockResolvedValue(true),
})

const call = (remote: Remote): Promise<unknown> =>
  remote.call({ method: 'tools/call', params: { name: 'one', arguments: {} } })

test('a session that is kept is gone on with, without a handshake, and left at the end', async () => {
  const { url } = await served()
  const target = { open: () => httpTransport({ url: `${url}/mcp` }) }
  const [first, second] = [sharing(), sharing()]
  const here = await connectRemote(target, optionsWith(first))
  const begun = first.keep.mock.calls[0]?.[0]
  if (!begun) throw new Error('nothing was kept')
  second.find.mockResolvedValue(begun)
  first.leave.mockResolvedValue(false)
  const there = await connectRemote(target, optionsWith(second))
  expect(await call(there)).toEqual(await call(here))
  expect(second.keep).not.toHaveBeenCalled()
  await here.close()
  expect(first.leave).toHaveBeenCalledWith(begun.id)
  expect(await call(there), 'who leaves first does not end it').toMatchObject({ content: [{ text: begun.id }] })
  await there.close()
  const late = await connectRemote(target, optionsWith(second))
  second.find.mockResolvedValue(undefined)
  expect(await call(late), 'the last one did').not.toMatchObject({ content: [{ text: begun.id }] })
  expect(second.keep).toHaveBeenCalledWith(expect.objectContaining({ version: '2025-11-25' }), begun.id)
  await late.close()
})

test('who cannot go on with a session does not count as its user', async () => {
  const opening = sharing(KNOWN)
  const broken = { open: () => httpTransport({ url: 'http://127.0.0.1:1/mcp' }) }
  const failing = {
    open: () => Object.assign(broken.open(), { open: () => Promise.reject(new Error('not today')) }),
  }
  await expect(connectRemote(failing, optionsWith(opening))).rejects.toThrow('not today')
  expect(opening.leave).toHaveBeenCalledWith('known')
})

test('a server that forgot the session and refuses another leaves nothing behind', async () => {
  const service = await served()
  let isRefused = false
  const target = {
    open: () => {
      const transport = httpTransport({ url: `${service.url}/mcp` })
      const request = transport.request.bind(transport)
      transport.request = (sent, sink, mirrors) =>
        isRefused && sent.method === 'initialize'
          ? sink.onLost(new Error('refused'), false)
          : request(sent, sink, mirrors)
      return transport
    },
  }
  const own = sharing(KNOWN)
  const connection = await connectRemote(target, optionsWith(own))
  isRefused = true
  await expect(call(connection)).rejects.toThrow('refused')
  expect(own.leave).toHaveBeenCalledWith('known')
  await connection.close()
})
