import type { VNode } from 'preact'
import { faultOf, fieldKind, resolve } from '../schema/schema.ts'
import type { FieldKind, Schema } from '../schema/schema.ts'
import type { FieldProps } from './field-props.ts'
import { ArrayField, MapField, ObjectField, UnionField } from './compound.tsx'
import { AnyField, BooleanField, ChoiceField, ChoicesField, ConstField, NumberField, TextField } from './simple.tsx'

const FIELDS: Readonly<Record<FieldKind, (props: FieldProps) => VNode>> = {
  const: ConstField,
  choice: ChoiceField,
  choices: ChoicesField,
  boolean: BooleanField,
  number: NumberField,
  text: TextField,
  array: ArrayField,
  object: ObjectField,
  map: MapField,
  union: UnionField,
  any: AnyField,
}

/** A field as its schema wants it, whatever that is. */
export function Field(props: Omit<FieldProps, 'draw'>): VNode {
  const schema = resolve(props.schema, props.root)
  const Kind = FIELDS[fieldKind(schema, props.root)]
  return <Kind {...props} schema={schema} draw={inner => <Field {...inner} />} />
}

/** Are all values of an object acceptable, as far as the form can tell? */
export function hasFaults(schema: Schema, value: unknown): boolean {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const values = (value ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(properties).some(
    ([name, one]) => faultOf(resolve(one, schema), values[name], required.has(name)) !== '',
  )
}
