import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Icon } from '../parts/icon.tsx'
import { asRecord, initial, requiredOf, resolve, typesOf, variantsOf } from '../schema/schema.ts'
import { isObject } from '@causeway/engine/browser'
import type { Schema } from '../schema/schema.ts'
import type { FieldProps } from './field-props.ts'
import { Fault, Hint, Legend, useFault } from './label.tsx'

const MOST_DEPTH = 12

/** An object inside another: its own fields, in a frame. */
export function ObjectField(props: FieldProps): VNode {
  const { name, id, schema, value, required } = props
  const isOpen = useSignal(required || value !== undefined)
  if (!isOpen.value || id.split('.').length > MOST_DEPTH) {
    return (
      <div class="field">
        <Legend name={name} required={required} />
        <Hint id={id} schema={schema} />
        <div>
          <button type="button" class="button mini" onClick={() => (isOpen.value = true)}>
            <Icon name="plus" />
            Add {name}
          </button>
        </div>
      </div>
    )
  }
  return (
    <fieldset>
      <legend>
        <Legend name={name} required={required} />
      </legend>
      <Hint id={id} schema={schema} />
      <Properties {...props} />
    </fieldset>
  )
}

/** The fields of an object. */
export function Properties({ id, schema, root, value, change, draw, complete }: FieldProps): VNode {
  const values = isObject(value) ? value : {}
  const required = requiredOf(schema)
  const names = Object.keys(asRecord(schema.properties))
  const ordered = [...names.filter(name => required.has(name)), ...names.filter(name => !required.has(name))]
  const set = (name: string, next: unknown): void => {
    const all: Readonly<Record<string, unknown>> = { ...values, [name]: next }
    // In the order of the form, whatever was typed first.
    const keys = [...ordered, ...Object.keys(all).filter(key => !ordered.includes(key))]
    change(Object.fromEntries(keys.flatMap(key => (all[key] === undefined ? [] : [[key, all[key]]]))))
  }
  return (
    <div class="fields">
      {ordered.map(name => (
        <div key={name}>
          {draw({
            name,
            id: `${id}.${name}`,
            schema: asRecord(asRecord(schema.properties)[name]),
            root,
            value: values[name],
            required: required.has(name),
            change: next => set(name, next),
            complete,
            draw,
          })}
        </div>
      ))}
    </div>
  )
}

/** A list, one field for each of its items. */
export function ArrayField(props: FieldProps): VNode {
  const { name, id, schema, root, value, required, change, draw } = props
  const { fault } = useFault(props)
  const items = Array.isArray(value) ? (value as readonly unknown[]) : []
  const of = asRecord(schema.items)
  const set = (next: readonly unknown[]): void => change(next.length === 0 ? undefined : next)
  const empty = (): unknown => initial(of, root) ?? (typesOf(resolve(of, root))[0] === 'string' ? '' : null)
  return (
    <fieldset>
      <legend>
        <Legend name={name} required={required} />
      </legend>
      <Hint id={id} schema={schema} />
      <Fault id={id} fault={fault} />
      {items.map((item, i) => (
        <div key={i} class="entry">
          {draw({
            name: `${name} ${i + 1}`,
            id: `${id}.${i}`,
            schema: of,
            root,
            value: item,
            required: true,
            change: next => set(items.with(i, next)),
            draw,
          })}
          <button
            type="button"
            class="button quiet mini"
            aria-label={`Remove ${name} ${i + 1}`}
            onClick={() => set(items.toSpliced(i, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          class="button mini"
          aria-label={`Add to ${name}`}
          onClick={() => set([...items, empty()])}
        >
          <Icon name="plus" />
          Add
        </button>
      </div>
    </fieldset>
  )
}

/** Names and values that the caller chooses. */
export function MapField(props: FieldProps): VNode {
  const { name, id, schema, root, value, required, change, draw } = props
  const { fault } = useFault(props)
  const values = isObject(value) ? value : {}
  const of = asRecord(schema.additionalProperties)
  return (
    <fieldset>
      <legend>
        <Legend name={name} required={required} />
      </legend>
      <Hint id={id} schema={schema} />
      <Fault id={id} fault={fault} />
      {Object.entries(values).map(([key, one]) => (
        <div key={key} class="entry">
          {draw({
            name: key,
            id: `${id}.${key}`,
            schema: of,
            root,
            value: one,
            required: true,
            change: next => change({ ...values, [key]: next }),
            draw,
          })}
          <button
            type="button"
            class="button quiet mini"
            aria-label={`Remove ${key}`}
            onClick={() => change(Object.fromEntries(Object.entries(values).filter(([other]) => other !== key)))}
          >
            Remove
          </button>
        </div>
      ))}
      <NewName of={name} add={key => change({ ...values, [key]: initial(of, root) ?? '' })} />
    </fieldset>
  )
}

function NewName({ of, add }: { readonly of: string; add(name: string): void }): VNode {
  const fresh = useSignal('')
  const take = (): void => {
    if (fresh.value !== '') add(fresh.value)
    fresh.value = ''
  }
  return (
    <div class="row">
      <input
        class="input"
        aria-label={`New name in ${of}`}
        placeholder="Name"
        value={fresh.value}
        onInput={event => (fresh.value = event.currentTarget.value)}
      />
      <button type="button" class="button" onClick={take}>
        Add
      </button>
    </div>
  )
}

/** One of several shapes: first which, then its fields. */
export function UnionField(props: FieldProps): VNode {
  const { name, id, schema, root, value, required, change, draw } = props
  const variants = variantsOf(schema).map(variant => resolve(variant, root))
  const chosen = useSignal(
    Math.max(
      0,
      variants.findIndex(variant => fits(variant, value)),
    ),
  )
  const choose = (at: number): void => {
    chosen.value = at
    change(initial(variants[at], root))
  }
  const variant = variants[chosen.value] ?? {}
  return (
    <fieldset>
      <legend>
        <Legend name={name} required={required} />
      </legend>
      <Hint id={id} schema={schema} />
      <select
        class="input"
        aria-label={`Kind of ${name}`}
        value={String(chosen.value)}
        onChange={event => choose(Number(event.currentTarget.value))}
      >
        {variants.map((one, i) => (
          <option key={i} value={String(i)}>
            {variantName(one, i)}
          </option>
        ))}
      </select>
      {draw({ ...props, id: `${id}.${chosen.value}`, schema: variant, required: true })}
    </fieldset>
  )
}

function variantName(variant: Schema, at: number): string {
  if (typeof variant.title === 'string') return variant.title
  const constant = Object.values(asRecord(variant.properties)).find(one => isObject(one) && 'const' in one)
  if (isObject(constant)) return String(constant.const)
  return typesOf(variant).join(' or ') || `Variant ${at + 1}`
}

function fits(variant: Schema, value: unknown): boolean {
  if (value === undefined) return false
  const type = Array.isArray(value) ? 'array' : typeof value
  const types = typesOf(variant)
  if (types.length > 0 && !types.includes(type) && !(type === 'number' && types.includes('integer'))) return false
  if (!isObject(value)) return true
  return Object.entries(asRecord(variant.properties)).every(
    ([name, one]) => !isObject(one) || !('const' in one) || value[name] === one.const,
  )
}
