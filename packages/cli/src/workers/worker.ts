import { rmdirSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Log } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import type { PeerMessage } from '@causeway/console'
import { isLoopback } from '@causeway/engine/internal'
import { httpWorker } from '@causeway/engine/http'
import type { HttpWorker } from '@causeway/engine/http'
import { readArgs } from '../config/args.ts'
import { assembly, logOf } from '../serve/assemble.ts'
import type { Assembly } from '../serve/assemble.ts'
import { welcome } from '../terminal/banner.ts'
import { readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { exit } from '../terminal/exit.ts'
import { explained, httpOptions, snapshotOf } from '../serve/listen-http.ts'
import { complain, guardOutputs, logLeft } from '../terminal/print.ts'
import { followTls, tlsOf } from '../serve/access/served-tls.ts'
import { openStore } from '../serve/open-store.ts'
import { surviveRejections } from '../terminal/stray-rejections.ts'
import { UsageError } from '../config/usage-error.ts'
import { ClosedConnections } from './closed-connections.ts'
import { leasedRates } from './leased-rates.ts'
import { numberOf, socketIn } from './messages.ts'
import type { Start, ToWorker } from './messages.ts'
import { PrimaryChannel, listenToPrimary } from './primary-channel.ts'
import { limitsPerWorker } from './worker-limits.ts'

// How long running calls get once the primary process is gone.
const ORPHANED_MS = 5_000
const RETIRE = { quietMs: 10_000, mostMs: 5 * 60_000 }

/** One worker: what it serves, and what it was started with. */
interface Worker {
  readonly start: Start
  readonly channel: PrimaryChannel
  readonly service: HttpWorker
  readonly assembled: Assembly
  readonly store: Store | undefined
  readonly log: Log
  peers: readonly string[]
}

/** Wait for the start message, then serve until a stop message. */
function main(): void {
  guardOutputs()
  // The primary process decides what a hang-up means.
  process.on('SIGHUP', () => {})
  const channel = new PrimaryChannel()
  const early: ToWorker[] = []
  let worker: Worker | undefined
  let isStarted = false
  process.once('disconnect', () => {
    setTimeout(() => void exit(1), worker ? ORPHANED_MS : 0)
    if (worker) void stop(worker)
  })
  listenToPrimary((message, handle) => {
    if (message.type === 'answer') return channel.answered(message.id, message.value)
    if (message.type === 'start' && !isStarted) {
      isStarted = true
      serve(message, channel).then(made => {
        worker = made
        for (const missed of early) onPrimaryMessage(made, missed, undefined)
      }, failed)
      return
    }
    if (worker) onPrimaryMessage(worker, message, handle)
    else early.push(message)
  })
}

async function serve(start: Start, channel: PrimaryChannel): Promise<Worker> {
  const share = limitsPerWorker(readConfig(readArgs(process.argv.slice(2))), start.workers)
  const config: Config = {
    ...readConfig(readArgs(process.argv.slice(2))),
    maxInflight: share.maxInflight,
    worker: start.name,
    auditSlot: start.slot,
  }
  const log = logOf(config)
  surviveRejections(log, config.toolsDir)
  const store = await openStore(config, log)
  // A store that is shared has keys and limits of its own, for other machines too.
  const shared = store ? { rates: store, store } : { secret: start.secret, rates: leasedRates(channel, start.workers) }
  const peers = {
    worker: start.name,
    send: (message: PeerMessage, to?: string) => channel.send({ type: 'feed', message, to }),
  }
  // Where the port is in another process, it is known only from there.
  const served = { ...config, publicUrl: config.publicUrl ?? (isLoopback(config.host) ? start.url : undefined) }
  const assembled = await assembly(config, { ...shared, peers })
  const metrics = async (): Promise<string> => ((await channel.ask({ about: 'metrics' })) ?? '') as string
  const worker: Omit<Worker, 'service'> = { start, channel, assembled, store, log, peers: [start.name] }
  const service = await httpWorker(assembled.server, {
    ...(await httpOptions({ ...assembled, store, shared: store ?? channel, url: () => start.url }, served, metrics)),
    ...share,
    tls: tlsOf(config),
    socket: socketIn(start.folder, start.name),
    // With a store that is shared, any worker serves any session.
    ...(store ? {} : routing(worker)),
  }).catch((error: unknown) => {
    throw explained(error, config)
  })
  const serving = Object.assign(worker, { service })
  followTls(config, service, log)
  assembled.feed?.start(() => service.open)
  assembled.gateway?.start()
  assembled.modules.follow()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(serving))
  channel.send({ type: 'ready', banner: await welcome(start.url, assembled.server, config, assembled.gateway) })
  return serving
}

/** Sessions stay in the worker that opened them: their ids say in which, and other workers pass their requests on. */
const routing = (worker: Pick<Worker, 'start' | 'peers'>) => ({
  worker: worker.start.name,
  socketOf(name: string): string | undefined {
    // One that is newer than all we know of started a moment ago.
    const isNewer = numberOf(name) > Math.max(...worker.peers.map(numberOf))
    return isNewer || worker.peers.includes(name) ? socketIn(worker.start.folder, name) : undefined
  },
})

const closed = new ClosedConnections()

function onPrimaryMessage(worker: Worker, message: ToWorker, handle: unknown): void {
  const { channel, service, assembled } = worker
  switch (message.type) {
    case 'connection':
      channel.send({ type: 'taken', id: message.id })
      // A client that left meanwhile has none any more.
      if (!(handle instanceof Socket)) return closed.add(channel)
      handle.once('close', () => closed.add(channel))
      return service.take(handle)
    case 'peers':
      worker.peers = message.names
      return
    case 'snapshot':
      return channel.send({ type: 'snapshot', snapshot: snapshotOf(assembled, service) })
    case 'feed':
      return assembled.feed?.fromPeer(message.worker, message.message)
    case 'reload':
      void assembled.reloader.reload()
      return
    case 'retire':
      void service.retire(RETIRE).then(() => stop(worker))
      return
    case 'stop':
      void stop(worker)
      return
    case 'start':
    case 'answer':
  }
}

let stopping: Promise<void> | undefined

function stop(worker: Worker): Promise<void> {
  return (stopping ??= finish(worker))
}

async function finish({ start, channel, service, assembled, store, log }: Worker): Promise<void> {
  const waiting = assembled.running.describe()
  if (waiting !== undefined) log('info', `stopping: waiting up to 30 s for ${waiting}`)
  // A stream that never ends would be waited for.
  assembled.feed?.close()
  await service.close()
  await assembled.gateway?.close()
  await assembled.audit?.close()
  await assembled.traced?.close()
  await store?.close()
  channel.send({ type: 'snapshot', snapshot: snapshotOf(assembled, service) })
  try {
    // The last one out; usually the primary process does it.
    if (!process.connected) rmdirSync(start.folder)
  } catch {
    // Others are still there.
  }
  await logLeft()
  await exit(0)
}

async function failed(error: unknown): Promise<void> {
  complain(`causeway: ${error instanceof UsageError ? error.message : String((error as Error)?.stack)}`)
  await logLeft()
  await exit(error instanceof UsageError ? error.exit : 1)
}

main()
