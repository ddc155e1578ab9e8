import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { isForViews } from '../apps/view-rights.ts'
import { RawJson, SchemaForm } from '../form/form.tsx'
import { Attempted } from '../form/label.tsx'
import { Copy } from '../parts/copy.tsx'
import { JsonTree } from '../result/json-tree.tsx'
import { asRecord, initial } from '../schema/schema.ts'
import { groupOf } from '../state/catalog.ts'
import type { Listed } from '../state/catalog.ts'
import { draft, drafts, run, runs } from '../state/runs.ts'
import { Back } from './browse.tsx'
import { effectOf } from './effect.ts'
import { ResultCard } from './result-card.tsx'
import { RunBar } from './run-bar.tsx'
import { WireCard } from './wire-card.tsx'

/** One tool: what it is, a form to try it, what came of it, and how it went over the wire. */
export function ToolDetail({ tool }: { readonly tool: Listed }): VNode {
  const key = `tool ${tool.key}`
  const schema = asRecord(tool.definition.inputSchema)
  const version = useSignal('')
  const value = drafts.value.has(key) ? drafts.value.get(key) : initial(schema, schema)
  const params = { name: tool.key, arguments: asRecord(value) }
  const attempted = useSignal(false)
  const start = (): void => {
    attempted.value = true
    void run(key, 'tools/call', params, version.value)
  }
  const hasFields = Object.keys(asRecord(schema.properties)).length > 0
  return (
    <div class="page">
      <Back view="Tools" />
      <Title tool={tool} />
      <form
        class="card"
        aria-label="Arguments"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          start()
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start()
        }}
      >
        {hasFields ? (
          <div class="body beside">
            <Attempted.Provider value={attempted.value}>
              <SchemaForm id={tool.key} schema={schema} value={value} change={next => draft(key, next)} />
            </Attempted.Provider>
            <RawJson value={value} change={next => draft(key, next)} />
          </div>
        ) : (
          <p class="body muted">This tool takes no arguments.</p>
        )}
        <RunBar run={runs.value.get(key)} version={version} id={key} />
      </form>
      <ResultCard run={runs.value.get(key)} tool={tool} />
      <WireCard method="tools/call" params={params} tool={tool} version={version.value} run={runs.value.get(key)} />
      <Definition tool={tool} />
    </div>
  )
}

function Title({ tool }: { readonly tool: Listed }): VNode {
  const { word, tone } = effectOf(tool)
  const { idempotentHint, openWorldHint } = asRecord(tool.definition.annotations)
  const group = groupOf.value('tool', tool.key)
  return (
    <header class="title">
      <div class="row wrap">
        <h1>{tool.title}</h1>
        {tool.title !== tool.key && <code class="muted">{tool.key}</code>}
        <Copy text={tool.key} label="Copy name" />
      </div>
      <div class="row wrap">
        <span class={`badge ${tone || 'good'}`}>{word}</span>
        {idempotentHint === true && word !== 'reads' && <span class="badge">safe to repeat</span>}
        {openWorldHint === true && <span class="badge">reaches outside</span>}
        {tool.isOffered ? (
          <span class="badge accent" title="In the list that every assistant gets">
            listed to assistants
          </span>
        ) : (
          <span class="badge" title="Not in the usual list: assistants find it by searching, and can call it">
            on request
          </span>
        )}
        {isForViews(tool) && (
          <span class="badge" title="Called by views; clients that show none, and models, do not see it">
            for views
          </span>
        )}
        {group !== '' && <span class="badge">{group}</span>}
        <span class="badge" title="What the definition costs an assistant that has it in its list, estimated">
          about {tool.tokens} tokens
        </span>
      </div>
      <p class="muted">{tool.description}</p>
    </header>
  )
}

function Definition({ tool }: { readonly tool: Listed }): VNode {
  return (
    <details class="card">
      <summary class="wire-head">
        <h2>Definition</h2>
      </summary>
      <div class="body stack">
        <div class="row">
          <span class="grow muted">As assistants get it</span>
          <Copy text={JSON.stringify(tool.definition, null, 2)} />
        </div>
        <JsonTree value={tool.definition} />
      </div>
    </details>
  )
}
