import { SseTransport, WebSocketTransport, httpTransport } from '@causeway/engine/client'
import type { Authorizer, ClientTransport, HttpTransportOptions, Target } from '@causeway/engine/client'
import type { RemoteTarget, StdioTarget, UpstreamConfig } from '../config/upstream-config.ts'
import { checkUrl, guardFor } from '@causeway/engine/internal'
import { startChild } from '../process/child-process.ts'
import type { Guardian } from '@causeway/engine/process'
import type { StderrLog } from '../process/stderr-log.ts'

/** What it takes to start a process, or to be let in. */
export interface Starting {
  readonly guardian: Guardian
  readonly log: StderrLog
  /** Gives requests their credentials. */
  readonly authorizer?: Authorizer | undefined
}

/** What one way to reach a server means for those that use it. */
interface TargetKind<T> {
  /** Does each connection start a process, of which there may be only so many? */
  readonly isProcess: boolean
  /** Do questions come on the stream of their call? Then the server gets the capabilities of its client, and has a session for each such client. */
  readonly bound: boolean
  reach(target: T, config: UpstreamConfig, starting: Starting): Target
  /** What makes it that server and no other, without values of variables and headers. */
  identity(target: T): readonly unknown[]
  /** What the lock says of it. */
  locked(target: T): { readonly command?: readonly string[]; readonly env?: readonly string[]; readonly url?: string }
}

const listening = (
  open: (options: HttpTransportOptions) => ClientTransport,
  { bound, fallback }: { bound: boolean; fallback?: (options: HttpTransportOptions) => ClientTransport },
): TargetKind<RemoteTarget> => ({
  isProcess: false,
  bound,
  reach(target, { limits, trusted }, { authorizer }) {
    const url = new URL(target.url)
    const guard = guardFor(url, trusted !== false)
    const own = { url: target.url, headers: target.headers, maxMessage: limits.messageBytes }
    const options = { ...own, ...guard, ...(authorizer && { authorizer }) }
    const checked = (make: typeof open) => () => {
      if (trusted === false) checkUrl(url)
      return make(options)
    }
    return { open: checked(open), ...(fallback && { fallback: checked(fallback) }) }
  },
  identity: ({ kind, url }) => [kind, url],
  locked: ({ url }) => ({ url: url.replace(/[?#].*$/, '') }),
})

const process: TargetKind<StdioTarget> = {
  isProcess: true,
  bound: false,
  reach: (target, { limits }, starting) => ({
    open: () => startChild(target, { ...starting, maxMessage: limits.messageBytes }),
  }),
  identity: ({ command, args, cwd }) => [command, args, cwd],
  locked: ({ command, args, env }) => ({ command: [command, ...args], env: Object.keys(env).sort() }),
}

const sse = (options: HttpTransportOptions): ClientTransport => new SseTransport(options)

// Another kind of target is another row.
const KINDS = {
  stdio: process,
  http: listening(httpTransport, { bound: true, fallback: sse }),
  sse: listening(sse, { bound: false }),
  ws: listening(options => new WebSocketTransport(options), { bound: false }),
}

type Kind = TargetKind<UpstreamConfig['target']>

/** What the kind of an entry's target means. */
export const kindOf = ({ kind }: UpstreamConfig['target']): Kind => KINDS[kind]
