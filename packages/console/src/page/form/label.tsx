import type { ComponentChildren, VNode } from 'preact'
import { typesOf } from '../schema/schema.ts'
import type { Schema } from '../schema/schema.ts'
import type { FieldProps } from './field-props.ts'

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
      {fault !== undefined && fault !== '' && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
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
