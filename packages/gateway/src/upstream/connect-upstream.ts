import { HttpTransport, SseTransport, WebSocketTransport } from '@causeway/engine/client'
import type { HttpOptions, Target } from '@causeway/engine/client'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { checkUrl, guardFor } from './ssrf-guard.ts'
import { startChild } from '../process/child-process.ts'
import type { Guardian } from '../process/guardian.ts'
import type { StderrLog } from '../process/stderr-log.ts'

/** What it takes to reach a server. */
export interface Reaching {
  readonly guardian: Guardian
  readonly log: StderrLog
}

/** How a server is reached, as its entry says. */
export function targetOf({ target, limits, trusted }: UpstreamConfig, { guardian, log }: Reaching): Target {
  const maxMessage = limits.messageBytes
  if (target.kind === 'stdio') return { open: () => startChild(target, { guardian, log, maxMessage }) }
  const guard = guardFor(new URL(target.url), trusted !== false)
  const options: HttpOptions = { url: target.url, headers: target.headers, maxMessage, ...guard }
  const checked =
    <W>(make: () => W) =>
    (): W => {
      if (trusted === false) checkUrl(new URL(target.url))
      return make()
    }
  if (target.kind === 'ws') return { open: checked(() => new WebSocketTransport(options)) }
  const older = checked(() => new SseTransport(options))
  if (target.kind === 'sse') return { open: older }
  return { open: checked(() => new HttpTransport(options)), fallback: older }
}
