import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Log } from '@causeway/engine'
import type { Config } from '../config/config.ts'

const MOST_TRIED = 20

/** The port to listen on: if none was given and the default is taken, the next free one. */
export async function choosePort(
  { host, port, given }: Pick<Config, 'host' | 'port' | 'given'>,
  log: Log,
): Promise<number> {
  if (given.has('port') || port === 0) return port
  for (let next = port; next < port + MOST_TRIED; next++) {
    if (await isTaken(host, next)) continue
    if (next !== port) log('warn', `Port ${port} is in use, so this server uses ${next}. Choose one with --port N.`)
    return next
  }
  return port
}

async function isTaken(host: string, port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
    return false
  } catch (error) {
    // What else is wrong with the address is said where it is used.
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  } finally {
    await new Promise(resolve => probe.close(resolve))
  }
}
