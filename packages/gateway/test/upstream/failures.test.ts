import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, tool } from '@causeway/engine'
import type { Log, Params, Server } from '@causeway/engine'
import { ConnectionLost, memoryTransport } from '@causeway/engine/client'
import type { Target } from '@causeway/engine/client'
import { serveHttp } from '@causeway/engine/http'
import { connect } from '@causeway/engine/testing'
import { expect, test, vi } from 'vitest'
import { gatewayTo, later } from '../support/world.ts'

interface Line {
  readonly level: string
  readonly message: string
  readonly details: Params | undefined
}

function logging(): { log: Log; lines: Line[] } {
  const lines: Line[] = []
  return { lines, log: (level, message, details) => void lines.push({ level, message, details }) }
}

const echoing = (): Server => {
  const server = createServer({ name: 'up', version: '1', log: false })
  server.add(
    tool({ name: 'read', readOnly: true }, () => 'read'),
    tool({ name: 'write' }, () => 'written'),
  )
  return server
}

/** A way to a server whose connection breaks in the next so many calls. */
function breaking(server: Server): { reach: () => Target; breaks: { left: number } } {
  const breaks = { left: 0 }
  const open = (): ReturnType<typeof memoryTransport> => {
    const transport = memoryTransport(server)
    const request = transport.request.bind(transport)
    transport.request = (message, sink, mirrors) => {
      if (message.method !== 'tools/call' || breaks.left === 0) return request(message, sink, mirrors)
      breaks.left -= 1
      const why = new ConnectionLost('The server closed its output')
      sink.onLost(why, true)
      transport.listener.onClose(why)
    }
    return transport
  }
  return { reach: () => ({ open }), breaks }
}

test('a call that only reads is repeated when its server crashed, after the back-off; another one is not', async () => {
  const { reach, breaks } = breaking(echoing())
  const { log, lines } = logging()
  const { server, gateway } = await gatewayTo({ up: { command: 'none', revision: '2025-11-25' } }, { reach, log })
  await gateway.servers.get('up')?.refresh()
  const client = connect(server)
  breaks.left = 1
  expect(await client.call('up__read')).toBe('read')
  const said = lines.map(({ level, message }) => `${level} ${message}`)
  expect(said).toEqual(['debug a server was started', 'error a server ended by itself', 'info a server works again'])
  expect(lines[1]?.details).toMatchObject({ server: 'up', cause: 'The server closed its output' })
  expect(gateway.status[0]).toMatchObject({ restarts: 1, calls: 2, failures: 1, state: 'running' })
  breaks.left = 1
  await expect(client.call('up__write')).rejects.toThrow("The connection to the server 'up' broke")
})

test('a server over HTTP that is gone is named, not its address; it is logged once, and when it works again', async () => {
  const service = await serveHttp(echoing(), { port: 0 })
  const { log, lines } = logging()
  const { server, gateway } = await gatewayTo({ up: { url: `${service.url}/mcp` } }, { log })
  await gateway.servers.get('up')?.refresh()
  const outcomes: unknown[] = []
  server.use(async (call, next) => {
    try {
      return await next(call)
    } catch (error) {
      outcomes.push((error as { kind?: string }).kind)
      throw error
    }
  })
  const client = connect(server)
  await service.close()
  for (let i = 0; i < 3; i++) {
    await expect(client.call('up__read')).rejects.toThrow(
      "The server 'up' is not available: nothing listens at its address",
    )
  }
  expect(outcomes).toEqual(Array(3).fill('upstream-unavailable'))
  expect(gateway.status[0]).toMatchObject({ state: 'failed', failures: 3, problem: 'nothing listens at its address' })
  const again = await serveHttp(echoing(), { port: Number(new URL(service.url).port) })
  later(() => again.close())
  expect(await client.call('up__read')).toBe('read')
  const said = lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
  expect(said).toEqual(['a server cannot be reached', 'a server works again'])
  expect(gateway.status[0]).toMatchObject({ state: 'running' })
})

test('a server that wants a login says what to do, and is not asked again and again', async () => {
  let asked = 0
  const http = createHttpServer((_, response) => {
    asked += 1
    response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://as.example"' }).end()
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  later(async () => http.close())
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const { log, lines } = logging()
  const { server, gateway } = await gatewayTo({ up: { url } }, { log })
  const client = connect(server)
  const call = (): Promise<unknown> => client.call('up__read')
  await expect(call()).rejects.toThrow(/needs a login.*causeway login up/)
  const before = asked
  await expect(call()).rejects.toThrow('needs a login')
  expect(asked).toBe(before)
  expect(lines.map(({ message }) => message).filter(message => message.includes('needs a login'))).toHaveLength(1)
  expect(gateway.status[0]).toMatchObject({ state: 'login', problem: expect.stringContaining('needs a login') })
})

test('a server that refuses the token of its entry says what to do, and is not asked again and again', async () => {
  let asked = 0
  const http = createHttpServer((_, response) => {
    asked += 1
    response.writeHead(401).end()
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  later(async () => http.close())
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const { log, lines } = logging()
  const headers = { Authorization: 'Bearer wrong' }
  const { server, gateway } = await gatewayTo({ up: { url, headers } }, { log })
  const client = connect(server)
  const call = (): Promise<unknown> => client.call('up__read')
  await expect(call()).rejects.toThrow(/needs authorization.*"headers"/)
  const before = asked
  await expect(call()).rejects.toThrow('do not try again')
  expect(asked).toBe(before)
  await vi.waitFor(() => expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1))
  expect(gateway.status[0]).toMatchObject({ state: 'failed' })
})
