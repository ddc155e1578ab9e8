import type { Socket } from 'node:net'
import type { Args } from '../config/args.ts'
import { configWarnings, readConfig } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { duration } from '../config/values.ts'
import { complain, outputLeft } from '../terminal/print.ts'
import { VERSION } from '../version.ts'
import { connectTo, greet } from './greeting.ts'
import { identityOf } from './identity.ts'
import { daemonFolder, placeOf } from './place.ts'
import { startDaemon } from './start-daemon.ts'

// A daemon may end, or be replaced by one of another version, just when it is asked.
const MOST_ATTEMPTS = 5
const LAST_WORDS_MS = 35_000

/** Pass what a client says on stdin to the daemon of these flags, and what that answers to stdout. */
export async function attach(args: Args): Promise<number> {
  const config = readConfig(args)
  if (config.transport === 'http')
    throw new UsageError('attach serves on standard input and output: leave out http, or use causeway serve --http.')
  duration(args.given.get('idle')?.at(-1) ?? '10m', 'idle')
  for (const warning of configWarnings(config)) complain(warning)
  const identity = identityOf(args, config)
  const place = placeOf(daemonFolder(), identity.id)
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const connection = await connectTo(place.socket)
    if (!connection) {
      await startDaemon(place, identity)
      continue
    }
    const welcome = await greet(connection, { want: 'attach', version: VERSION })
    if (welcome?.is === 'attached') return passThrough(connection)
    connection.destroy()
    if (welcome?.is === 'failed') throw new UsageError(welcome.message, welcome.exit)
  }
  throw new UsageError(`The daemon ends whenever it is asked. Look at: causeway daemon logs ${identity.id}`, 1)
}

/** Bytes go through unread, both ways, until one side ends; what is on its way still arrives. */
function passThrough(connection: Socket): Promise<number> {
  const { stdin, stdout } = process
  return new Promise(done => {
    let isEnding = false
    const finish = (code: number): void => {
      stdin.unpipe(connection)
      connection.destroy()
      done(code)
    }
    const leave = (): void => {
      if (isEnding) return finish(1)
      isEnding = true
      connection.end()
      setTimeout(() => finish(1), LAST_WORDS_MS).unref()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, leave)
    stdin.once('end', () => (isEnding = true)).once('error', leave)
    stdout.once('error', () => finish(0))
    connection.once('error', () => finish(1))
    connection.once('end', () => {
      // All that the daemon had to say is in the pipe to the client when this is called.
      void outputLeft().then(() => {
        if (!isEnding) complain('causeway: the daemon ended. Start this server again.')
        finish(isEnding ? 0 : 1)
      })
    })
    connection.once('close', () => finish(isEnding ? 0 : 1))
    connection.pipe(stdout, { end: false })
    stdin.pipe(connection)
  })
}
