import { jsonLog } from '@causeway/engine'
import type { Log } from '@causeway/engine'
import type { AuditOptions } from '@causeway/engine/policies'
import { OPERATOR_SCOPE, Refusal } from '@causeway/engine/http'
import type { Events, Exchange, HttpOpen, Route } from '@causeway/engine/http'
import { CallMeter } from './call-meter.ts'
import type {
  CallRecord,
  FeedHello,
  LogRecord,
  Sample,
  ServedGroup,
  ServerFacts,
  UpstreamRecord,
} from './operator-records.ts'
import { PeerFeeds } from './peer-feeds.ts'
import type { PeerLink, PeerMessage } from './peer-feeds.ts'
import { Ring } from './ring.ts'

export type { ServedGroup } from './operator-records.ts'

/** What the feed asks its server for. */
export interface FeedOptions {
  /** For the views Servers and Connect, and the CLI tab. */
  readonly facts?: () => ServerFacts
  /** Which pack or server each tool, prompt and resource is from. */
  readonly groups?: () => readonly ServedGroup[]
  /** Servers behind this one. */
  readonly upstreams?: () => readonly UpstreamRecord[]
  /** The way to the feeds of the other workers, if several processes serve: a page shows them as one. */
  readonly peers?: PeerLink
  /** The input schema of a tool: arguments that it marks as secret are masked. */
  readonly schemaOf: NonNullable<AuditOptions['schemaOf']>
}

const KEPT = { calls: 10_000, logs: 1000, samples: 600 }
const LOGS_SHOWN = 500
const SAMPLE_MS = 1000
const FLUSH_MS = 100
// What one flush carries; the rest is only counted, so that no rate of calls floods a reader.
const MOST_PER_FLUSH = 200
// What a worker reports of its past when a page is opened at another one.
const PAST_CALLS = 200
const MOST_READERS = 32
const MOST_FIELD_CHARACTERS = 4000
// More than this at once would make a reader look slow.
const MOST_HISTORY_CHARACTERS = 3_000_000

interface Look {
  readonly upstreams: readonly UpstreamRecord[]
  readonly hello: FeedHello
  /** As it was last sent. */
  readonly text: { readonly upstreams: string; readonly hello: string }
}

/** Everything an operator can watch, as one stream of events: calls, log, figures, other servers. Nothing can be sent. */
export class OperatorFeed {
  /** Sees the calls. */
  readonly meter: CallMeter
  readonly #options: FeedOptions
  readonly #calls = new Ring<CallRecord>(KEPT.calls)
  readonly #logs = new Ring<LogRecord>(KEPT.logs)
  readonly #samples = new Ring<Sample>(KEPT.samples)
  readonly #readers = new Set<Events>()
  readonly #peers = new PeerFeeds()
  readonly #startedAt = Date.now()
  #open: () => HttpOpen = () => ({ sessions: 0, streams: 0, sockets: 0 })
  #freshCalls: CallRecord[] = []
  #freshLogs: LogRecord[] = []
  #skipped = 0
  #logIds = 0
  #shown: Look['text'] = { upstreams: '', hello: '' }
  #sampling: NodeJS.Timeout | undefined
  #flushing: NodeJS.Timeout | undefined

  constructor(options: FeedOptions) {
    this.#options = options
    this.meter = new CallMeter(record => this.#called(record), {
      schemaOf: options.schemaOf,
      isWatched: () => this.#isWatched,
    })
  }

  /** Begin to take samples; `open` says what is open at that moment. */
  start(open: () => HttpOpen): void {
    this.#open = open
    this.#sampling ??= setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  /** Another worker said something. */
  fromPeer(worker: string, message: PeerMessage): void {
    const { watching, joined, sample } = message
    if (watching) this.#peers.watched()
    if (joined) this.#reportPast(worker)
    if (sample) this.#peers.sampled(worker, sample)
    if (this.#readers.size > 0) this.#showPeer(message)
  }

  #showPeer({ past, calls: reported = [], skipped = 0, logs = [] }: PeerMessage): void {
    const known = new Set(past ? this.#calls.items.map(({ id }) => id) : [])
    const calls = reported.filter(({ id }) => !known.has(id))
    for (const call of calls) this.#calls.push(call)
    for (const line of logs) this.#logs.push(line)
    if (calls.length > 0) this.#send('calls', { calls, skipped })
    if (logs.length > 0) this.#send('logs', logs)
  }

  #reportPast(to: string): void {
    const { peers } = this.#options
    const own = this.#calls.items.filter(({ worker }) => worker === peers?.worker)
    peers?.send({ past: true, calls: own.slice(-PAST_CALLS) }, to)
  }

  get #isWatched(): boolean {
    return this.#readers.size > 0 || this.#peers.isWatched
  }

  /** End every stream. */
  close(): void {
    clearInterval(this.#sampling)
    clearTimeout(this.#flushing)
    for (const reader of this.#readers) reader.end()
  }

  /** A log that is also shown here, redacted as everywhere. */
  tee(log: Log): Log {
    const own = jsonLog('info', line => this.#logged(line))
    return (...line) => {
      log(...line)
      own(...line)
    }
  }

  /** The stream itself; where the server needs tokens, it needs an operator's. */
  get route(): Route {
    return {
      method: 'GET',
      path: '/console/events',
      scopes: [OPERATOR_SCOPE],
      handle: exchange => this.#join(exchange),
    }
  }

  #join(exchange: Exchange): void {
    const site = exchange.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new Refusal(403, 'Forbidden: only the console itself may read this stream')
    }
    if (this.#readers.size >= MOST_READERS) {
      throw new Refusal(503, `Already ${MOST_READERS} consoles are open. Close one, then try again.`, -32004, {
        'Retry-After': '10',
      })
    }
    const events = exchange.openEvents({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    this.#readers.add(events)
    events.onClose(() => this.#readers.delete(events))
    this.#flush()
    const { upstreams, hello } = this.#look()
    events.write(format('hello', hello))
    events.write(format('upstreams', upstreams))
    const calls = newest(this.#calls.items, MOST_HISTORY_CHARACTERS)
    events.write(format('history', { calls, logs: this.#logs.items.slice(-LOGS_SHOWN), samples: this.#samples.items }))
    this.#options.peers?.send({ watching: true, joined: true })
  }

  #called(own: CallRecord): void {
    const { worker } = this.#options.peers ?? {}
    const record = worker === undefined ? own : { ...own, id: `${worker}.${own.id}`, worker }
    this.#calls.push(record)
    if (!this.#isWatched) return
    if (this.#freshCalls.length < MOST_PER_FLUSH) this.#freshCalls.push(record)
    else this.#skipped += 1
    this.#flushSoon()
  }

  #logged(line: string): void {
    const { time, level, message, ...fields } = JSON.parse(line) as Omit<LogRecord, 'id' | 'fields'>
    const isLong = line.length > MOST_FIELD_CHARACTERS
    const { worker } = this.#options.peers ?? {}
    const id = ++this.#logIds
    const record = {
      id: worker === undefined ? id : `${worker}.${id}`,
      time,
      level,
      message,
      fields: isLong ? { cut: line.length } : fields,
    }
    this.#logs.push(record)
    if (!this.#isWatched) return
    if (this.#freshLogs.length < MOST_PER_FLUSH) this.#freshLogs.push(record)
    this.#flushSoon()
  }

  #flushSoon(): void {
    this.#flushing ??= setTimeout(() => this.#flush(), FLUSH_MS).unref()
  }

  #flush(): void {
    clearTimeout(this.#flushing)
    this.#flushing = undefined
    const [calls, logs, skipped] = [this.#freshCalls, this.#freshLogs, this.#skipped]
    if (calls.length > 0) this.#send('calls', { calls, skipped })
    if (logs.length > 0) this.#send('logs', logs)
    if (this.#peers.isWatched) this.#options.peers?.send({ calls, skipped, logs })
    this.#freshCalls = []
    this.#freshLogs = []
    this.#skipped = 0
  }

  #sample(): void {
    const { sessions, streams } = this.#open()
    const tally = this.meter.take()
    const own: Sample = { at: Date.now(), ...tally, sessions, streams, rss: process.memoryUsage.rss() }
    const { peers } = this.#options
    if (this.#peers.isWatched) peers?.send({ sample: own })
    if (this.#readers.size > 0) peers?.send({ watching: true })
    const sample = peers ? this.#peers.sum(peers.worker, own) : own
    this.#samples.push(sample)
    if (this.#readers.size === 0) return
    this.#send('sample', sample)
    const before = this.#shown
    const { upstreams, hello, text } = this.#look()
    if (text.upstreams !== before.upstreams) this.#send('upstreams', upstreams)
    if (text.hello !== before.hello) this.#send('hello', hello)
  }

  /** How things stand, and as what they were last shown. */
  #look(): Look {
    const { facts, groups, upstreams: others } = this.#options
    const upstreams = others?.() ?? []
    const hello = { ...facts?.(), startedAt: this.#startedAt, groups: groups?.() ?? [] }
    this.#shown = { upstreams: JSON.stringify(upstreams), hello: JSON.stringify(hello) }
    return { upstreams, hello, text: this.#shown }
  }

  #send(event: string, data: unknown): void {
    const text = format(event, data)
    for (const reader of this.#readers) reader.write(text)
  }
}

/** The newest that fit, oldest first. */
function newest<T>(items: readonly T[], characters: number): readonly T[] {
  let left = characters
  const from = items.findLastIndex(item => (left -= JSON.stringify(item).length) < 0)
  return items.slice(from + 1)
}

const format = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
