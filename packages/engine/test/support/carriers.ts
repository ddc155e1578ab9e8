import { PassThrough } from 'node:stream'
import { connect, serveStdio } from '@causeway/engine'
import type { Message, Server } from '@causeway/engine'

/** What a conversation needs of whatever carries it. */
export interface Wire {
  send(text: string): void
  /** The client goes away; resolves when the server is done with it. */
  close(): Promise<void>
}

/** How a conversation is carried. */
export interface Carriage {
  /** Is told each text the server sends, in order. */
  readonly hear: (text: string) => void
  readonly lifecycle: 'strict' | 'lenient'
  readonly direct: boolean
}

/** A way to carry messages to a server and back. */
export interface Carrier {
  readonly name: string
  open(server: Server, carriage: Carriage): Wire
}

const memory: Carrier = {
  name: 'memory',
  open(server, { hear, lifecycle, direct }) {
    const client = connect(server, { strict: lifecycle === 'strict', direct })
    // Notifications and answers must be heard in one order, so the list tells us of each entry as it is made.
    client.seen.push = (...messages: Message[]) => {
      for (const message of messages) hear(JSON.stringify(message))
      return messages.length
    }
    const open = new Set<Promise<void>>()
    return {
      send(text) {
        const answered = client.raw(text).then(answer => {
          open.delete(answered)
          if (answer !== undefined) hear(answer)
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
  open(server, { hear, lifecycle, direct }) {
    const input = new PassThrough()
    const output = new PassThrough()
    let partial = ''
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (partial + chunk).split('\n')
      partial = lines.pop() ?? ''
      for (const line of lines) hear(line)
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

/** Every way, each of which carries every scenario. */
export const carriers: readonly Carrier[] = [memory, stdio]
