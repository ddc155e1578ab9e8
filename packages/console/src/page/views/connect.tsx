import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Segments } from '../parts/bits.tsx'
import { Code } from '../parts/copy.tsx'
import { overHttp, overStdio } from '../state/client-snippets.ts'
import type { ClientSnippet } from '../state/client-snippets.ts'
import { endpoint, token } from '../state/connection.ts'
import { hello } from '../state/feed.ts'

const WAYS = ['Over HTTP', 'Started by the client'] as const

/** What to paste into each client to use this server. */
export function ConnectView(): VNode {
  const way = useSignal<(typeof WAYS)[number]>('Over HTTP')
  const reached = {
    url: hello.value?.publicUrl ?? endpoint('').replace(/\/$/, ''),
    token: token.value,
    needsToken: token.value !== '',
    command: hello.value?.command ?? [],
  }
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
          <Segments label="How" options={WAYS} value={way.value} choose={option => (way.value = option)} />
        </div>
        {way.value === 'Over HTTP' && (
          <section class="card" aria-label="Address">
            <div class="body stack tight">
              <h2>Address</h2>
              <p class="muted">For any other client that speaks Streamable HTTP.</p>
              <Code label="Address" text={`${reached.url}/mcp`} />
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

function Snippet({ client, where, text }: ClientSnippet): VNode {
  return (
    <section class="card" aria-label={client}>
      <header>
        <h3 class="grow">{client}</h3>
        <span class="muted small">{where}</span>
      </header>
      <div class="body">
        <Code label={client} text={text} />
      </div>
    </section>
  )
}
