import type { VNode } from 'preact'
import { useSignal } from '@preact/signals'
import { asRecord } from '../schema/schema.ts'
import type { Schema } from '../schema/schema.ts'
import { Properties } from './compound.tsx'
import { Field } from './field.tsx'

/** The fields of an object's schema. */
export function SchemaForm(props: {
  readonly id: string
  readonly schema: Schema
  readonly value: unknown
  change(value: unknown): void
}): VNode | null {
  const { id, schema, value, change } = props
  if (Object.keys(asRecord(schema.properties)).length === 0) return null
  return (
    <Properties
      name=""
      id={id}
      schema={schema}
      root={schema}
      value={value}
      required
      change={change}
      draw={inner => <Field {...inner} />}
    />
  )
}

/** The same value as JSON, for those who would rather type it. */
export function RawJson({ value, change }: { readonly value: unknown; change(value: unknown): void }): VNode {
  const typed = useSignal<string | undefined>(undefined)
  const fault = useSignal('')
  const take = (text: string): void => {
    typed.value = text
    try {
      const parsed: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
      fault.value = ''
      change(parsed)
    } catch (error) {
      fault.value = error instanceof Error ? error.message : 'No JSON'
    }
  }
  return (
    <div class="field">
      <div class="row">
        <label for="raw-json">Arguments as JSON</label>
      </div>
      <textarea
        id="raw-json"
        class="input"
        spellcheck={false}
        aria-invalid={fault.value !== ''}
        value={typed.value ?? JSON.stringify(value ?? {}, null, 2)}
        onInput={event => take(event.currentTarget.value)}
        onBlur={() => {
          if (fault.value === '') typed.value = undefined
        }}
      />
      {fault.value !== '' && <p class="fault">{fault.value}</p>}
    </div>
  )
}
