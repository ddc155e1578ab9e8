import { useSignal } from '@preact/signals'
import { createContext } from 'preact'
import type { ComponentChildren, Context, VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { faultOf, typesOf } from '../schema/schema.ts'
import type { Schema } from '../schema/schema.ts'
import type { FieldProps } from './field-props.ts'

/** Was it tried to send the form? From then on every field says what is wrong with it. */
export const Attempted: Context<boolean> = createContext(false)

/** What is wrong with a field, once one has been there or tried to send the form. */
export function useFault({ schema, value, required }: Pick<FieldProps, 'schema' | 'value' | 'required'>): {
  readonly fault: string
  touch(): void
} {
  const touched = useSignal(false)
  const isShown = useContext(Attempted) || touched.value
  return { fault: isShown ? faultOf(schema, value, required) : '', touch: () => (touched.value = true) }
}

/** The name of a group of fields, and whether it has to be there. */
export function Legend({
  name,
  required,
  id,
}: {
  readonly name: string
  readonly required: boolean
  readonly id?: string
}): VNode {
  return (
    <span class="row">
      <span class="legend" id={id}>
        {name}
      </span>
      {required && <span class="badge accent">required</span>}
    </span>
  )
}

/** What is wrong with a field. */
export function Fault({ id, fault }: { readonly id: string; readonly fault: string }): VNode | null {
  if (fault === '') return null
  return (
    <p class="fault" id={`${id}-fault`}>
      {fault}
    </p>
  )
}

/** What a field expects, in a word. */
function typeWord(schema: Schema): string {
  const { format } = schema
  if (typeof format === 'string') return format
  return typesOf(schema).join(' or ')
}

/** A field's name, what it expects and what it is for, around the control itself. */
export function Labelled(props: FieldProps & { readonly fault?: string; readonly children: ComponentChildren }): VNode {
  const { id, name, schema, required, fault, children } = props
  return (
    <div class="field">
      <div class="row">
        <label for={id}>{name}</label>
        <span class="muted small">{typeWord(schema)}</span>
        {required && <span class="badge accent">required</span>}
      </div>
      {children}
      <Hint id={id} schema={schema} />
      <Fault id={id} fault={fault ?? ''} />
    </div>
  )
}

/** What a field is for. */
export function Hint({ id, schema }: { readonly id: string; readonly schema: Schema }): VNode | null {
  const { description, title } = schema
  const words = typeof description === 'string' ? description : typeof title === 'string' ? title : ''
  if (words === '') return null
  return (
    <p class="hint" id={`${id}-hint`}>
      {words}
    </p>
  )
}
