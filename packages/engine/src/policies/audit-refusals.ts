import { redactText } from '../secrets/redact.ts'

/** What is written of HTTP requests that were refused because of who sent them, or how often. */
export interface RefusalEntry {
  readonly time: string
  readonly principal: string | null
  readonly address: string | null
  readonly path: string | null
  readonly status: number
  readonly reason: string
  readonly outcome: string
  /** So many were refused; the others of a while are in no entry of their own. */
  readonly times?: number
}

/** A request that was refused, as a transport tells of it. */
interface RefusedRequest {
  readonly status: number
  readonly path: string
  readonly principal: { readonly name: string } | undefined
  readonly address: string
  readonly reason: string
}

/** Writes refusals; `close` writes what is not written yet. */
export interface RefusalAudit {
  readonly onRefused: (refused: RefusedRequest) => void
  close(): void
}

const OUTCOMES: Readonly<Record<number, string>> = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate-limited' }
// Anyone can be refused, again and again: beyond this the entries of a while are one per status.
const WINDOW_MS = 10_000
const MOST = 100
const LONGEST = 200

/** Write an entry per refused request, and one for many where there are many. */
export function auditRefusals(
  write: (entry: RefusalEntry) => void,
  { most = MOST, windowMs = WINDOW_MS }: { readonly most?: number; readonly windowMs?: number } = {},
): RefusalAudit {
  const unwritten = new Map<number, number>()
  let written = 0
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
    written = 0
    for (const [status, times] of unwritten) write(manyEntry(status, times))
    unwritten.clear()
  }
  return {
    onRefused(refused) {
      const { status } = refused
      if (OUTCOMES[status] === undefined) return
      timer ??= setTimeout(end, windowMs).unref()
      written += 1
      if (written <= most) write(refusalEntry(refused))
      else unwritten.set(status, (unwritten.get(status) ?? 0) + 1)
    },
    close: end,
  }
}

const refusalEntry = ({ status, path, principal, address, reason }: RefusedRequest): RefusalEntry => ({
  time: new Date().toISOString(),
  principal: principal?.name ?? null,
  address,
  path: redactText(path, LONGEST),
  status,
  reason: redactText(reason, LONGEST),
  outcome: OUTCOMES[status] ?? String(status),
})

const manyEntry = (status: number, times: number): RefusalEntry => ({
  time: new Date().toISOString(),
  principal: null,
  address: null,
  path: null,
  status,
  reason: 'There were too many for an entry each',
  outcome: OUTCOMES[status] ?? String(status),
  times,
})
