import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { createServer } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Certificates } from '../../../../test/support/certificates.ts'
import { needs } from '../../../../test/support/needs.ts'

let own: Certificates
let other: Certificates
beforeAll(() => {
  if (needs('openssl').skip) return
  own = new Certificates().issue('server', '/CN=localhost').issue('ada', '/CN=ada')
  other = new Certificates()
})
afterAll(() => {
  own?.remove()
  other?.remove()
})

/** Bytes with which a handshake begins. */
const HALF_SENT = [Buffer.alloc(0), Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])]

describe('connections that do not become secure', needs('openssl'), () => {
  test('do not keep a server from closing', async () => {
    const refused: string[] = []
    const server = createServer({ name: 's', version: '1' })
    const tls = { cert: own.text('server.pem'), key: own.text('server.key') }
    const service = await serveHttp(server, { port: 0, tls })
    const sockets: Socket[] = []
    for (let i = 0; i < 40; i++) {
      const socket = connectPlain(service.port, '127.0.0.1')
      socket.on('error', ({ message }) => refused.push(message))
      await once(socket, 'connect')
      socket.write(HALF_SENT[i % 2] ?? '')
      sockets.push(socket)
    }
    const secure = connectSecure({ port: service.port, host: '127.0.0.1', ca: own.text('ca.pem') })
    await once(secure, 'secureConnect')
    secure.on('error', () => {})
    // Before handshakes are given up, which takes ten seconds.
    const late = vi.fn<() => void>()
    const clock = setTimeout(late, 9000)
    const gone = Promise.all([...sockets, secure].map(socket => once(socket, 'close')))
    await service.close()
    clearTimeout(clock)
    expect(late).not.toHaveBeenCalled()
    await gone
  })
})

test(
  'connections of client certificates end when an authority is trusted no longer, and not before',
  needs('openssl'),
  async () => {
    const tls = { cert: own.text('server.pem'), key: own.text('server.key'), clientCa: own.text('ca.pem') }
    const service = await serveHttp(createServer({ name: 's', version: '1' }), { port: 0, tls })
    const open = async (shown: object): Promise<Socket> => {
      const socket = connectSecure({ port: service.port, host: '127.0.0.1', ca: own.text('ca.pem'), ...shown })
      await once(socket, 'secureConnect')
      socket.on('error', () => {}).resume()
      return socket
    }
    const ada = await open({ cert: own.text('ada.pem'), key: own.text('ada.key') })
    const nobody = await open({})
    const closed = vi.fn<() => void>()
    ada.once('close', closed)
    nobody.once('close', closed)
    service.replaceTls({ ...tls, clientCa: `# more\r\n${other.text('ca.pem')}\n${own.text('ca.pem')}` })
    // Handshakes are answered in order, so this one comes after what had been done.
    ;(await open({})).destroy()
    expect(closed).not.toHaveBeenCalled()
    const gone = once(ada, 'close')
    service.replaceTls({ ...tls, clientCa: other.text('ca.pem') })
    await gone
    expect(closed).toHaveBeenCalledOnce()
    await service.close()
  },
)
