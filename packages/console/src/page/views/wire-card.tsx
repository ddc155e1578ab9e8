import { useSignal } from '@preact/signals'
import type { ObservedMessage, Params } from '@causeway/engine/browser'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Segments } from '../parts/bits.tsx'
import { Code } from '../parts/copy.tsx'
import { JsonTree } from '../result/json-tree.tsx'
import type { Listed } from '../state/catalog.ts'
import { endpoint, token } from '../state/connection.ts'
import { hello } from '../state/feed.ts'
import { plan } from '../state/preview.ts'
import type { PlannedRequest } from '../state/preview.ts'
import type { Run } from '../state/runs.ts'
import { asCommand, asCurl, asTypeScript } from '../state/snippets.ts'

const WAYS = ['Messages', 'curl', 'CLI', 'TypeScript'] as const
// A server that has no command line of its own has no such tab.
const WITHOUT_CLI = WAYS.filter(way => way !== 'CLI')

/** A call as it goes over the wire, and how to make it elsewhere. */
export function WireCard(props: {
  readonly method: string
  readonly params: Params
  readonly version: string
  readonly run: Run | undefined
  readonly tool?: Listed
}): VNode {
  const { method, params, version, run, tool } = props
  const way = useSignal<(typeof WAYS)[number]>('Messages')
  const planned = useSignal<readonly PlannedRequest[]>([])
  useEffect(() => {
    plan({ method, params, version, tool }).then(
      found => (planned.value = found),
      () => (planned.value = []),
    )
  }, [method, JSON.stringify(params), version])
  const needsToken = token.value !== ''
  const url = `${hello.value?.publicUrl ?? endpoint('').replace(/\/$/, '')}/mcp`
  const call = { method, params, version }
  const callTool = method === 'tools/call' ? hello.value?.callTool : undefined
  return (
    <section class="card" aria-label="Wire">
      <header>
        <h2>Wire</h2>
        <span class="grow" />
        <Segments
          label="Show the call as"
          options={callTool ? WAYS : WITHOUT_CLI}
          value={way.value}
          choose={option => (way.value = option)}
        />
      </header>
      {way.value === 'Messages' ? (
        <Messages run={run} planned={planned.value} />
      ) : (
        <div class="body">
          {way.value === 'curl' && <Code label="curl" text={asCurl(url, planned.value, needsToken)} />}
          {way.value === 'CLI' && callTool && <Code label="CLI" text={asCommand(call, callTool)} />}
          {way.value === 'TypeScript' && <Code label="TypeScript" text={asTypeScript(url, call, needsToken)} />}
        </div>
      )}
    </section>
  )
}

/** What was sent and received; before that, what would be sent. */
function Messages(props: { readonly run: Run | undefined; readonly planned: readonly PlannedRequest[] }): VNode {
  const messages = props.run?.messages ?? []
  if (messages.length > 0) {
    return (
      <div>
        {messages.map((message, i) => (
          <Message key={`${props.run?.startedAt} ${i}`} message={message} />
        ))}
      </div>
    )
  }
  return (
    <div>
      <p class="body muted small">Run will send:</p>
      {props.planned.map(({ headers, body }, i) => (
        <Message
          key={i}
          message={{
            direction: 'sent',
            method: 'POST',
            request: undefined,
            headers: Object.fromEntries(Object.entries(headers).map(shownHeader)),
            status: undefined,
            text: JSON.stringify(body),
          }}
        />
      ))}
    </div>
  )
}

const shownHeader = ([name, value]: [string, PlannedRequest['headers'][string]]): [string, string] => [
  name,
  typeof value === 'string' ? value : `(${value.variable})`,
]

function Message({ message }: { readonly message: ObservedMessage }): VNode {
  const { direction, status, headers, text } = message
  const body = parsed(text)
  const shown = Object.entries(headers).map(
    ([name, value]) => `${name}: ${/^authorization$/i.test(name) ? 'Bearer …' : value}`,
  )
  return (
    <details class="wire">
      <summary>
        <span class={`badge ${direction === 'sent' ? 'accent' : 'good'}`}>
          {direction === 'sent' ? '→ sent' : '← received'}
        </span>
        <span class="mono clip grow">{summaryOf(body, text)}</span>
        {status !== undefined && <span class="muted small">{status}</span>}
        <span class="muted small">{text.length.toLocaleString('en')} B</span>
      </summary>
      <div class="stack">
        <pre class="muted small">{shown.join('\n')}</pre>
        {body === undefined ? <pre>{text}</pre> : <JsonTree value={body} />}
      </div>
    </details>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function summaryOf(body: unknown, text: string): string {
  const { method, id, error } = (body ?? {}) as { method?: unknown; id?: string | number; error?: unknown }
  if (typeof method === 'string') return id === undefined ? method : `${method} #${id}`
  if (id !== undefined) return `${error === undefined ? 'result' : 'error'} of #${id}`
  return text.slice(0, 80)
}
