import type { Log } from '@causeway/engine'
import { rarely } from '@causeway/engine/internal'
import { UsageError } from '../../config/usage-error.ts'
import type { ChainHead } from './chain.ts'
import { appendTo, whyNot } from './files.ts'

/** Where the heads of a chain are kept, out of reach of who can change its file. */
export interface AnchorOptions {
  readonly head: () => ChainHead | undefined
  readonly log: Log
  readonly everyMs?: number
  readonly now?: () => number
}

/** Sends the head of a chain away now and then, and at the end. */
export interface Anchor {
  close(): Promise<void>
}

// At least every minute, with time for one that is late.
const EVERY_MS = 45_000
const SEND_MS = 10_000

/** Keep the head of a chain in a file, a line each time, or send it to a URL. */
export function anchorAt(place: string, { head, log, everyMs = EVERY_MS, now = Date.now }: AnchorOptions): Anchor {
  const warn = rarely(log)
  const send = /^https?:/i.test(place) ? poster(place) : appender(place)
  let sending: Promise<void> = Promise.resolve()
  const anchor = async (): Promise<void> => {
    const current = head()
    if (!current) return
    const { hash, ...where } = current
    try {
      await send(JSON.stringify({ time: new Date(now()).toISOString(), ...where, head: hash }))
    } catch (error) {
      warn('error', 'the head of the audit could not be anchored', { error })
    }
  }
  const next = (): Promise<void> => (sending = sending.then(anchor))
  const timer = setInterval(() => void next(), everyMs).unref()
  return {
    close() {
      clearInterval(timer)
      return next()
    },
  }
}

/** A file that is only appended to. */
function appender(file: string): (line: string) => Promise<void> {
  try {
    appendTo(file, '')
  } catch (error) {
    throw new UsageError(`--anchor ${file} cannot be written: ${whyNot(error)}`, 5)
  }
  return async line => appendTo(file, `${line}\n`)
}

/** A service that takes each head as the body of a POST. */
function poster(place: string): (line: string) => Promise<void> {
  const url = URL.canParse(place) ? new URL(place) : undefined
  if (!url || `${url.username}${url.password}` !== '')
    throw new UsageError(
      '--anchor must be a file, or a URL without a user and a password, such as https://example.org/heads.',
    )
  return async line => {
    const signal = AbortSignal.timeout(SEND_MS)
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', body: line, headers, redirect: 'error', signal })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`${url.host} answered with ${answer.status}`)
  }
}
