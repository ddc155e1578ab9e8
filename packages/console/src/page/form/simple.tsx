import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { choicesOf, resolve } from '../schema/schema.ts'
import type { FieldProps } from './field-props.ts'
import { Fault, Hint, Labelled, Legend, useFault } from './label.tsx'
import { Proposals } from './proposals.tsx'

const TYPES: Readonly<Record<string, 'date' | 'time' | 'email' | 'url' | 'password'>> = {
  date: 'date',
  time: 'time',
  email: 'email',
  uri: 'url',
  url: 'url',
  password: 'password',
}
const LONG =
  /^(?:content|contents|text|body|code|source|script|markdown|html|message|prompt|sql|json|pattern_yaml|patch)$/i

/** A value that can only be one. */
export function ConstField(props: FieldProps): VNode {
  return (
    <Labelled {...props}>
      <input id={props.id} class="input" readOnly value={JSON.stringify(props.schema.const)} />
    </Labelled>
  )
}

/** One of several values. */
export function ChoiceField(props: FieldProps): VNode {
  const { id, schema, value, required, change } = props
  const choices = choicesOf(schema) ?? []
  const at = choices.findIndex(choice => choice.value === value)
  const { fault, touch } = useFault(props)
  return (
    <Labelled {...props} fault={fault}>
      <select
        id={id}
        class="input"
        aria-invalid={fault !== ''}
        onBlur={touch}
        aria-describedby={`${id}-hint`}
        value={String(at)}
        onChange={event => change(choices[Number(event.currentTarget.value)]?.value)}
      >
        <option value="-1">{required ? 'Choose…' : 'Not set'}</option>
        {choices.map(({ title }, i) => (
          <option key={i} value={String(i)}>
            {title}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

/** Any number of several values. */
export function ChoicesField(props: FieldProps): VNode {
  const { name, id, schema, root, value, required, change } = props
  const { fault } = useFault(props)
  const choices = choicesOf(resolve(schema.items, root)) ?? []
  const chosen = Array.isArray(value) ? value : []
  const toggle = (one: unknown): void => {
    const next = chosen.includes(one) ? chosen.filter(other => other !== one) : [...chosen, one]
    change(next.length === 0 ? undefined : next)
  }
  return (
    <div class="field" role="group" aria-labelledby={`${id}-name`}>
      <Legend name={name} required={required} id={`${id}-name`} />
      <div class="checks">
        {choices.map(({ value: one, title }) => (
          <label key={title} class="check">
            <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
            {title}
          </label>
        ))}
      </div>
      <Hint id={id} schema={schema} />
      <Fault id={id} fault={fault} />
    </div>
  )
}

/** Yes or no. */
export function BooleanField(props: FieldProps): VNode {
  const { name, id, schema, value, required, change } = props
  const { fault } = useFault(props)
  return (
    <div class="field">
      <div class="check">
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          aria-describedby={`${id}-hint`}
          onChange={event => change(event.currentTarget.checked)}
        />
        <label for={id}>{name}</label>
        {required && <span class="badge accent">required</span>}
      </div>
      <Hint id={id} schema={schema} />
      <Fault id={id} fault={fault} />
    </div>
  )
}

/** A number; empty means none. */
export function NumberField(props: FieldProps): VNode {
  const { id, schema, value, change } = props
  const { fault, touch } = useFault(props)
  return (
    <Labelled {...props} fault={fault}>
      <input
        id={id}
        class="input"
        type="number"
        step={schema.type === 'integer' ? 1 : 'any'}
        value={typeof value === 'number' ? value : ''}
        placeholder={placeholderOf(schema)}
        aria-describedby={`${id}-hint`}
        aria-invalid={fault !== ''}
        onBlur={touch}
        onInput={({ currentTarget: { value: typed } }) => change(typed === '' ? undefined : Number(typed))}
      />
    </Labelled>
  )
}

/** A text; empty means none, unless it must be there. */
export function TextField(props: FieldProps): VNode {
  const { id, name, schema, value, required, change, complete } = props
  const { fault, touch } = useFault(props)
  const shared = {
    id,
    class: 'input',
    value: typeof value === 'string' ? value : '',
    placeholder: placeholderOf(schema),
    spellcheck: false,
    'aria-describedby': `${id}-hint`,
    'aria-invalid': fault !== '',
    onBlur: touch,
    onInput: ({ currentTarget: { value: typed } }: { currentTarget: { value: string } }) =>
      change(typed === '' && !required ? undefined : typed),
  }
  if (complete) {
    return (
      <Labelled {...props} fault={fault}>
        <Proposals id={id} typed={shared.value} ask={complete}>
          <input {...shared} autocomplete="off" list={`${id}-list`} />
        </Proposals>
      </Labelled>
    )
  }
  const isLong = LONG.test(name) || schema.contentMediaType !== undefined || Number(schema.maxLength) > 2000
  return (
    <Labelled {...props} fault={fault}>
      {isLong ? <textarea {...shared} rows={3} /> : <input {...shared} type={typeOf(schema)} />}
    </Labelled>
  )
}

const typeOf = ({ format }: FieldProps['schema']): 'text' => (TYPES[String(format)] ?? 'text') as 'text'

function placeholderOf({ examples, format }: FieldProps['schema']): string {
  if (Array.isArray(examples) && examples.length > 0) return `such as ${String(examples[0])}`
  return format === 'date-time' ? 'such as 2030-01-31T12:00:00Z' : ''
}

/** Anything at all, as JSON. */
export function AnyField(props: FieldProps): VNode {
  const { id, value, change } = props
  const typed = useSignal<string | undefined>(undefined)
  const fault = useSignal('')
  const { fault: missing } = useFault(props)
  const take = (text: string): void => {
    typed.value = text
    try {
      change(text.trim() === '' ? undefined : JSON.parse(text))
      fault.value = ''
    } catch (error) {
      fault.value = error instanceof Error ? error.message : 'No JSON'
    }
  }
  return (
    <Labelled {...props} fault={fault.value || missing}>
      <textarea
        id={id}
        class="input"
        rows={3}
        placeholder="JSON"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        value={typed.value ?? (value === undefined ? '' : JSON.stringify(value, null, 2))}
        onInput={event => take(event.currentTarget.value)}
      />
    </Labelled>
  )
}
