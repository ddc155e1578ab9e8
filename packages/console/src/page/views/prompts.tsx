import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { TextField } from '../form/simple.tsx'
import { Empty } from '../parts/bits.tsx'
import { Copy } from '../parts/copy.tsx'
import { Content } from '../result/content.tsx'
import { asRecord } from '../schema/schema.ts'
import { find, groupOf } from '../state/catalog.ts'
import type { Listed } from '../state/catalog.ts'
import { completer } from '../state/completion.ts'
import { route } from '../state/route.ts'
import { draft, drafts, run, runs } from '../state/runs.ts'
import type { Run } from '../state/runs.ts'
import { Back, Browse } from './browse.tsx'
import { useInSight } from './in-sight.ts'
import { RunBar } from './run-bar.tsx'
import { WireCard } from './wire-card.tsx'

const search = signal('')
const version = signal('')

/** Every prompt, and one to fill in and look at. */
export function PromptsView(): VNode {
  const { item } = route.value
  const prompt = find('prompt', item)
  return (
    <Browse
      view="Prompts"
      kinds={['prompt']}
      word="prompt"
      search={search}
      none={
        <Empty icon="Prompts" title="No prompts are served">
          <p>Prompts are messages prepared by the server, which a person starts in an assistant.</p>
        </Empty>
      }
    >
      {prompt ? (
        <PromptDetail key={prompt.key} prompt={prompt} />
      ) : (
        <Empty icon="Prompts" title="Choose a prompt to preview it">
          <p>Fill in its arguments and see the messages an assistant would get.</p>
        </Empty>
      )}
    </Browse>
  )
}

function PromptDetail({ prompt }: { readonly prompt: Listed }): VNode {
  const key = `prompt ${prompt.key}`
  const values = (drafts.value.get(key) ?? {}) as Readonly<Record<string, string>>
  const args = Array.isArray(prompt.definition.arguments) ? prompt.definition.arguments.map(asRecord) : []
  const params = { name: prompt.key, arguments: values }
  const ref = { type: 'ref/prompt', name: prompt.key }
  const now = runs.value.get(key)
  const set = (name: string, value: unknown): void => {
    const { [name]: _old, ...others } = values
    draft(key, typeof value === 'string' && value !== '' ? { ...others, [name]: value } : others)
  }
  return (
    <div class="page">
      <Back view="Prompts" />
      <Title prompt={prompt} />
      <form
        class="card"
        aria-label="Arguments"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void run(key, 'prompts/get', params, version.value)
        }}
      >
        <div class="body fields">
          {args.length === 0 && <p class="muted">This prompt takes no arguments.</p>}
          {args.map(({ name, description, required }) => (
            <TextField
              key={String(name)}
              name={String(name)}
              id={`${key}.${String(name)}`}
              schema={{ type: 'string', description }}
              root={{}}
              value={values[String(name)]}
              required={required === true}
              change={value => set(String(name), value)}
              complete={completer(ref, String(name), values)}
              draw={() => <></>}
            />
          ))}
        </div>
        <RunBar run={now} version={version} id={key} verb="Preview" />
      </form>
      <Messages run={now} />
      <WireCard method="prompts/get" params={params} version={version.value} run={now} />
    </div>
  )
}

const Title = ({ prompt }: { readonly prompt: Listed }): VNode => (
  <header class="title">
    <h1>{prompt.title}</h1>
    <div class="row wrap">
      <code class="muted">{prompt.key}</code>
      <span class="badge">{groupOf.value('prompt', prompt.key) || 'this server'}</span>
    </div>
    <p class="muted">{prompt.description}</p>
  </header>
)

function Messages({ run }: { readonly run: Run | undefined }): VNode {
  const messages = Array.isArray(run?.result?.messages) ? (run.result.messages as unknown[]).map(asRecord) : []
  return (
    <section class="card" ref={useInSight(run)} aria-label="Result" aria-live="polite">
      <header>
        <h2 class="grow">Messages</h2>
        {messages.length > 0 && <Copy text={() => messages.map(one => asRecord(one.content).text).join('\n\n')} />}
      </header>
      <div class="body stack">
        {!run && <p class="muted">Nothing yet. Press Preview to see what an assistant would get.</p>}
        {run?.problem && <p class="notice bad">{run.problem.message}</p>}
        {messages.map(({ role, content }, i) => (
          <div key={i} class={`message ${role === 'assistant' ? 'assistant' : ''}`}>
            <span class="muted small">{String(role)}</span>
            <Content block={content} />
          </div>
        ))}
      </div>
    </section>
  )
}
