import { signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { TextField } from '../form/simple.tsx'
import { Empty, plural } from '../parts/bits.tsx'
import { Copy } from '../parts/copy.tsx'
import { ResourceContents } from '../result/content.tsx'
import { asRecord } from '../schema/schema.ts'
import { find, updates } from '../state/catalog.ts'
import type { Listed } from '../state/catalog.ts'
import { client } from '../state/connection.ts'
import { completer, expand, variablesOf } from '../state/completion.ts'
import { href, route } from '../state/route.ts'
import { draft, drafts, run, runs } from '../state/runs.ts'
import type { Run } from '../state/runs.ts'
import { info } from '../state/session.ts'
import { Back, Browse } from './browse.tsx'
import { WireCard } from './wire-card.tsx'

const search = signal('')

/** Every resource and family of them, and one to read. */
export function ResourcesView(): VNode {
  const { item } = route.value
  const template = find('template', item)
  return (
    <Browse
      view="Resources"
      kinds={['resource', 'template']}
      word="resource"
      search={search}
      tags={one => (one.kind === 'template' ? <span class="badge">template</span> : null)}
      none={
        <Empty icon="Resources" title="No resources are served">
          <p>Resources are texts and files that an assistant can read by their address.</p>
        </Empty>
      }
    >
      {item === undefined ? (
        <Empty icon="Resources" title="Choose a resource to read it">
          <p>A template is a family of resources: fill in its variables to read one of them.</p>
        </Empty>
      ) : template ? (
        <TemplateDetail key={item} template={template} />
      ) : (
        <Reading key={item} uri={item} listed={find('resource', item)} />
      )}
    </Browse>
  )
}

/** One resource: read at once, and followed if one wants. */
function Reading({ uri, listed }: { readonly uri: string; readonly listed: Listed | undefined }): VNode {
  const key = `resource ${uri}`
  const read = (): void => void run(key, 'resources/read', { uri }, '')
  const changes = updates.value.get(uri) ?? 0
  useEffect(read, [changes])
  const now = runs.value.get(key)
  return (
    <div class="page">
      <Back view="Resources" />
      <header class="title">
        <h1>{listed?.title ?? uri}</h1>
        <div class="row wrap">
          <code class="muted">{uri}</code>
          <Copy text={uri} label="Copy address" />
        </div>
        {listed && listed.description !== '' && <p class="muted">{listed.description}</p>}
        <div class="row wrap">
          <button type="button" class="button primary" onClick={read}>
            Read
          </button>
          <Subscribe uri={uri} />
          {changes > 0 && (
            <span class="badge accent" role="status">
              changed {plural(changes, 'time')}
            </span>
          )}
        </div>
      </header>
      <ReadResult run={now} />
      <WireCard method="resources/read" params={{ uri }} version="" run={now} />
    </div>
  )
}

function ReadResult({ run: now }: { readonly run: Run | undefined }): VNode {
  const contents = Array.isArray(now?.result?.contents) ? (now.result.contents as unknown[]) : []
  return (
    <section class="card" aria-label="Result" aria-busy={now?.state === 'running'}>
      <header>
        <h2>Result</h2>
      </header>
      <div class="body stack">
        {now?.state === 'running' && <p class="muted">Reading…</p>}
        {now?.problem && <p class="notice bad">{now.problem.message}</p>}
        {contents.map((one, i) => (
          <ResourceContents key={i} contents={asRecord(one)} />
        ))}
      </div>
    </section>
  )
}

function Subscribe({ uri }: { readonly uri: string }): VNode | null {
  const isOn = useSignal(false)
  const fault = useSignal('')
  const { subscribe } = asRecord(info.value?.capabilities.resources)
  if (subscribe !== true) return null
  const toggle = async (): Promise<void> => {
    try {
      const remote = await client()
      await (isOn.value ? remote.unsubscribe(uri) : remote.subscribe(uri))
      isOn.value = !isOn.value
      fault.value = ''
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <>
      <button type="button" class="button" aria-pressed={isOn.value} onClick={() => void toggle()}>
        {isOn.value ? 'Unsubscribe' : 'Subscribe'}
      </button>
      {fault.value !== '' && <span class="fault">{fault.value}</span>}
    </>
  )
}

/** A family of resources: its variables, with what the server proposes for each. */
function TemplateDetail({ template }: { readonly template: Listed }): VNode {
  const key = `template ${template.key}`
  const values = (drafts.value.get(key) ?? {}) as Readonly<Record<string, string>>
  const names = variablesOf(template.key)
  const uri = expand(template.key, values)
  const ref = { type: 'ref/resource', uri: template.key }
  return (
    <div class="page">
      <Back view="Resources" />
      <header class="title">
        <h1>{template.title}</h1>
        <code class="muted">{template.key}</code>
        {template.description !== '' && <p class="muted">{template.description}</p>}
      </header>
      <form
        class="card"
        aria-label="Variables"
        onSubmit={event => {
          event.preventDefault()
          location.hash = href('Resources', uri)
        }}
      >
        <div class="body fields">
          {names.map(name => (
            <TextField
              key={name}
              name={name}
              id={`${key}.${name}`}
              schema={{ type: 'string' }}
              root={{}}
              value={values[name]}
              required
              change={value => draft(key, { ...values, [name]: typeof value === 'string' ? value : '' })}
              complete={completer(ref, name, values)}
              draw={() => <></>}
            />
          ))}
        </div>
        <div class="runbar">
          <button type="submit" class="button primary">
            Read
          </button>
          <code class="muted clip grow">{uri}</code>
        </div>
      </form>
    </div>
  )
}
