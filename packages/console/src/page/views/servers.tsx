import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { FeedHello, ServedGroup, UpstreamRecord, WorkerSample } from '../../operator-records.ts'
import { Empty, Outcome, count, duration, plural } from '../parts/bits.tsx'
import { Code } from '../parts/copy.tsx'
import { hello, samples, upstreams } from '../state/feed.ts'
import { loginLink } from '../state/login-link.ts'
import { info } from '../state/session.ts'

/** This server, and those behind it. */
export function ServersView(): VNode {
  return (
    <div class="detail">
      <div class="page">
        <h1>Servers</h1>
        <Own />
        <h2>Behind this server</h2>
        {upstreams.value.length === 0 ? (
          <div class="card">
            <Empty icon="Servers" title="No other servers">
              <p>Serve the MCP servers you already use through this one: supervised, limited, in every revision.</p>
              <Code label="Command" text="causeway serve --http --servers ~/.cursor/mcp.json" />
            </Empty>
          </div>
        ) : (
          <div class="cards">
            {upstreams.value.map(upstream => (
              <Upstream key={upstream.name} upstream={upstream} />
            ))}
          </div>
        )}
      </div>
    </div>
  )
}

function Own(): VNode {
  const { server, revision } = info.value ?? {}
  const sample = samples.value.at(-1)
  return (
    <section class="card" aria-label="This server">
      <header>
        <span class="dot good" />
        <h2>{server?.title ?? server?.name ?? 'This server'}</h2>
        <span class="muted small">version {server?.version}</span>
      </header>
      <dl class="body facts">
        <dt>Memory</dt>
        <dd>{megabytes(sample?.rss ?? 0)}</dd>
        <dt>Newest revision</dt>
        <dd>{revision}</dd>
        {hello.value && <Facts {...hello.value} />}
      </dl>
      {sample?.workers && <Workers workers={sample.workers} />}
    </section>
  )
}

function Facts({ startedAt, roots = [], groups }: FeedHello): VNode {
  return (
    <>
      <dt>Running for</dt>
      <dd>
        <Since from={startedAt} />
      </dd>
      <dt>Folders</dt>
      <dd class="mono">{roots.join(', ') || '–'}</dd>
      <dt>Packs</dt>
      <dd>{packsOf(groups)}</dd>
    </>
  )
}

const megabytes = (bytes: number): string => `${count(Math.round(bytes / 1e6))} MB`

/** What each worker does; a row per process. */
function Workers({ workers }: { readonly workers: readonly WorkerSample[] }): VNode {
  return (
    <div class="body">
      <div class="scroll">
        <table aria-label="Workers">
          <thead>
            <tr>
              <th>Worker</th>
              <th class="num">Calls per second</th>
              <th class="num">Running</th>
              <th class="num">Sessions</th>
              <th class="num">Memory</th>
            </tr>
          </thead>
          <tbody>
            {workers.map(({ worker, calls, running, sessions, rss }) => (
              <tr key={worker}>
                <td class="mono">{worker}</td>
                <td class="num">{count(calls)}</td>
                <td class="num">{count(running)}</td>
                <td class="num">{count(sessions)}</td>
                <td class="num">{megabytes(rss)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

const packsOf = (groups: readonly ServedGroup[]): string =>
  groups
    .filter(group => group.kind === 'pack')
    .map(group => `${group.name} (${plural(group.tools.length, 'tool')})`)
    .join(', ') || '–'

function Since({ from }: { readonly from: number }): VNode {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((now.value - from) / 1000))
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const shown = parts.filter(([value]) => value > 0).slice(0, 2)
  return <span>{shown.map(([value, unit]) => `${value} ${unit}`).join(' ') || '0 s'}</span>
}

const FACTS: Readonly<Record<string, string>> = {
  tools: 'Tools',
  calls: 'Calls',
  inFlight: 'In flight',
  conversations: 'Connections',
  restarts: 'Restarts',
  speaks: 'Revision',
  held: 'Held back',
  retryAfterMs: 'Next try in',
}

function Upstream({ upstream }: { readonly upstream: UpstreamRecord }): VNode {
  const { name, state, problem, log } = upstream
  const lines = Array.isArray(log) ? (log as string[]) : []
  const facts = Object.entries(FACTS).filter(([key]) => upstream[key] !== undefined)
  return (
    <section class="card" aria-label={name}>
      <header>
        <h3 class="grow">{name}</h3>
        <Outcome outcome={state === 'login' ? 'needs a login' : String(state)} />
      </header>
      <div class="body stack">
        {typeof problem === 'string' && <p class={`notice ${state === 'login' ? 'warn' : 'bad'}`}>{problem}</p>}
        {upstream.login !== undefined && <Login server={name} />}
        <dl class="facts">
          {facts.map(([key, label]) => (
            <div key={key} class="fact">
              <dt>{label}</dt>
              <dd>{key === 'retryAfterMs' ? duration(Number(upstream[key])) : String(upstream[key])}</dd>
            </div>
          ))}
        </dl>
        <details>
          <summary>Log, {plural(lines.length, 'line')}</summary>
          <div class="log" tabIndex={0} role="log" aria-label={`Log of ${name}`}>
            {lines.length === 0 ? 'It has written nothing.' : lines.map((line, i) => <div key={i}>{line}</div>)}
          </div>
        </details>
      </div>
    </section>
  )
}

/** Opens the page with which the user of the console logs in to a server. */
function Login({ server }: { readonly server: string }): VNode {
  const url = useSignal('')
  const failure = useSignal('')
  const open = async (): Promise<void> => {
    try {
      failure.value = ''
      url.value = await loginLink(server)
      window.open(url.value, '_blank', 'noopener')
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <p>
      <button type="button" class="button" onClick={() => void open()}>
        Log in to {server}
      </button>{' '}
      {url.value !== '' && (
        <a href={url.value} target="_blank" rel="noopener noreferrer">
          Open the page
        </a>
      )}
      {failure.value !== '' && <span class="muted">{failure.value}</span>}
    </p>
  )
}
