import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Passes TCP connections on: to several ports in turn, or to one that can be cut off. */
export class Balancer {
  /** Where connections are passed on to; one that refuses is left out that time. */
  ports: readonly number[]
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #next = 0
  #isCut = false

  constructor(ports: readonly number[]) {
    this.ports = ports
    this.#server = createServer(socket => this.#take(socket, this.ports.length))
  }

  async listen(): Promise<this> {
    await new Promise<void>(resolve => void this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Let nothing through any more, without a word to either side, until `mend`. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.pause()
  }

  mend(): void {
    this.#isCut = false
    for (const socket of this.#sockets) socket.resume()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #take(socket: Socket, attempts: number): void {
    socket.on('error', () => socket.destroy())
    if (attempts === 0) return void socket.destroy()
    const port = this.ports[this.#next++ % this.ports.length] ?? 0
    const other = connect(port, '127.0.0.1')
    const refused = (): void => this.#take(socket, attempts - 1)
    other.once('error', refused)
    other.once('connect', () => {
      other.off('error', refused)
      this.#join(socket, other)
    })
  }

  #join(one: Socket, two: Socket): void {
    for (const [from, to] of [
      [one, two],
      [two, one],
    ] as const) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.on('data', data => to.write(data))
      from.on('end', () => to.end())
      from.on('error', () => from.destroy())
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroySoon()
      })
      if (this.#isCut) from.pause()
    }
  }
}
