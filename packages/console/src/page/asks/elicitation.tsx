import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { SchemaForm } from '../form/form.tsx'
import { safeLink } from '../result/markdown.ts'
import { asRecord, initial } from '../schema/schema.ts'
import type { OpenAsk } from '../state/asks.ts'
import { Dialog } from './dialog.tsx'

/** A form that a tool wants filled in. */
export function FormAsk({ open }: { readonly open: OpenAsk }): VNode {
  const { message, requestedSchema } = open.ask.params
  const schema = asRecord(requestedSchema)
  const value = useSignal<unknown>(initial(schema, schema) ?? {})
  return (
    <Dialog
      title={`${open.from} asks you`}
      dismiss={() => open.reply({ action: 'cancel' })}
      submit={() => open.reply({ action: 'accept', content: asRecord(value.value) })}
    >
      <p>{String(message)}</p>
      <SchemaForm id={`ask-${open.id}`} schema={schema} value={value.value} change={next => (value.value = next)} />
      <div class="row end">
        <button type="button" class="button" onClick={() => open.reply({ action: 'decline' })}>
          Decline
        </button>
        <button type="submit" class="button primary">
          Submit
        </button>
      </div>
    </Dialog>
  )
}

/** A page elsewhere that a tool wants visited; who would be visited stands there in full. */
export function UrlAsk({ open }: { readonly open: OpenAsk }): VNode {
  const { message, url } = open.ask.params
  const target = safeLink(String(url))
  return (
    <Dialog
      title={`${open.from} asks you to open a page`}
      dismiss={() => open.reply({ action: 'cancel' })}
      submit={() => open.reply({ action: 'accept' })}
    >
      <p>{String(message)}</p>
      {target === undefined ? (
        <p class="notice bad">This is not a web address, so it cannot be opened: {String(url).slice(0, 200)}</p>
      ) : (
        <div class="stack tight">
          <p>
            It leads to <strong>{new URL(target).host}</strong>. Open it only if you expected that.
          </p>
          <p class="mono small">{target}</p>
        </div>
      )}
      <div class="row end">
        <button type="button" class="button" onClick={() => open.reply({ action: 'decline' })}>
          Decline
        </button>
        {target !== undefined && (
          <a class="button" href={target} target="_blank" rel="noreferrer noopener">
            Open
          </a>
        )}
        <button type="submit" class="button primary" disabled={target === undefined}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
