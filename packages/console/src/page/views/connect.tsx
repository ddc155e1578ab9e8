import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { Segments } from '../parts/bits.tsx'
import { Code } from '../parts/copy.tsx'
import { addressOf, overHttp, overStdio } from '../state/client-snippets.ts'
import type { ClientSnippet, Reached } from '../state/client-snippets.ts'
import { endpoint, token } from '../state/connection.ts'
import { hello } from '../state/feed.ts'

const WAYS = ['Over HTTP', 'Started by the client'] as const
const ALL = 'All tools'

/** What to paste into each client to use this server. */
export function ConnectView(): VNode {
  const way = useSignal<(typeof WAYS)[number]>('Over HTTP')
  const chosen = useSignal(ALL)
  const { virtual = [] } = hello.value ?? {}
  const reached = reachedAs(chosen.value)
  const snippets = way.value === 'Over HTTP' ? overHttp(reached) : overStdio(reached)
  return (
    <div class="detail">
      <div class="page wide">
        <header class="title">
          <h1>Connect</h1>
          <p class="muted">
            Copy the snippet for your assistant. It has the address{reached.needsToken ? ' and the token' : ''} of this
            server; nothing else is needed.
          </p>
        </header>
        <div class="row wrap">
          {reached.command.length > 0 && (
            <Segments label="How" options={WAYS} value={way.value} choose={option => (way.value = option)} />
          )}
          {way.value === 'Over HTTP' && virtual.length > 0 && <VirtualServer names={virtual} chosen={chosen} />}
        </div>
        {way.value === 'Over HTTP' && (
          <section class="card" aria-label="Address">
            <div class="body stack tight">
              <h2>Address</h2>
              <p class="muted">For any other client that speaks Streamable HTTP.</p>
              <Code label="Address" text={addressOf(reached)} />
            </div>
          </section>
        )}
        <div class="cards">
          {snippets.map(snippet => (
            <Snippet key={snippet.client} {...snippet} />
          ))}
        </div>
      </div>
    </div>
  )
}

function reachedAs(chosen: string): Reached {
  const { publicUrl, command = [] } = hello.value ?? {}
  return {
    url: publicUrl ?? endpoint('').replace(/\/$/, ''),
    token: token.value,
    needsToken: token.value !== '',
    command,
    ...(chosen !== ALL && { virtual: chosen }),
  }
}

/** Which selection of tools the client gets. */
function VirtualServer(props: { readonly names: readonly string[]; readonly chosen: Signal<string> }): VNode {
  const { names, chosen } = props
  return (
    <label class="row small muted">
      Virtual server
      <select
        class="input mini"
        aria-label="Virtual server"
        value={chosen.value}
        onChange={event => (chosen.value = event.currentTarget.value)}
      >
        {[ALL, ...names].map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Snippet({ client, where, text, link }: ClientSnippet): VNode {
  return (
    <section class="card" aria-label={client}>
      <header>
        <h3 class="grow">{client}</h3>
        <span class="muted small">{where}</span>
      </header>
      <div class="body stack tight">
        <Code label={client} text={text} />
        {link !== undefined && (
          <a class="small" href={link}>
            Add to {client} with one click
          </a>
        )}
      </div>
    </section>
  )
}
