import { PassThrough } from 'node:stream'
import { serveStdio } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Message, Server } from '@causeway/engine'
import { httpCarriers } from './http-carriers.ts'

/** What a conversation needs of whatever carries it. */
export interface CarrierConnection {
  send(text: string): void
  /** Resolves when the server has read all that was sent; left out where nothing can overtake it. */
  sent?(): Promise<void>
  /** The conversation ends; resolves when the server is done with it. */
  close(): Promise<void>
}

/** How a conversation is carried. */
export interface CarrierOptions {
  /** Is told each text the server sends, in order. */
  readonly onText: (text: string) => void
  readonly lifecycle: 'strict' | 'lenient'
  readonly direct: boolean
  /** The revision that the client speaks. */
  readonly version: string
}

/** What a scenario wants of a carrier. */
export interface Wanted {
  readonly version: string
  readonly handshake?: boolean
  readonly direct?: boolean
}

/** A way to carry messages to a server and back. */
export interface Carrier {
  readonly name: string
  /** Is a request cancelled by leaving, which gives no reason? */
  readonly leavesToCancel?: boolean
  /** Can it carry that? */
  carries(wanted: Wanted): boolean
  open(server: Server, options: CarrierOptions): CarrierConnection
}

const memory: Carrier = {
  name: 'memory',
  carries: () => true,
  open(server, { onText, lifecycle, direct }) {
    const client = connect(server, { strict: lifecycle === 'strict', direct })
    // Notifications and answers must be heard in one order, so the list tells us of each entry as it is made.
    client.seen.push = (...messages: Message[]) => {
      for (const message of messages) onText(JSON.stringify(message))
      return messages.length
    }
    const open = new Set<Promise<void>>()
    return {
      send(text) {
        const answered = client.raw(text).then(answer => {
          open.delete(answered)
          if (answer !== undefined) onText(answer)
        })
        open.add(answered)
      },
      async close() {
        client.close()
        await Promise.all(open)
      },
    }
  },
}

const stdio: Carrier = {
  name: 'stdio',
  carries: () => true,
  open(server, { onText, lifecycle, direct }) {
    const input = new PassThrough()
    const output = new PassThrough()
    let partial = ''
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (partial + chunk).split('\n')
      partial = lines.pop() ?? ''
      for (const line of lines) onText(line)
    })
    const served = serveStdio(server, { input, output, lifecycle, direct, drainMs: 1000 })
    return {
      send: text => void input.write(`${text}\n`),
      async close() {
        input.end()
        await served
      },
    }
  },
}

/** Those without HTTP, where all that can be set is set by the scenario. */
export const pipes: readonly Carrier[] = [memory, stdio]
/** Every way, each of which carries every scenario that it can. */
export const carriers: readonly Carrier[] = [...pipes, ...httpCarriers]
/** Those with one connection for everything, where a text that cannot be read has no response of its own. */
export const connections: readonly Carrier[] = carriers.filter(({ name }) => !name.startsWith('/mcp'))
