import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { Compile } from 'typebox/schema'
import type { Validator } from 'typebox/schema'
import { Settings } from 'typebox/system'
import type { Infer } from './infer.ts'
import { lint } from './lint.ts'
import { isObject } from '../support/is-object.ts'
import { show, toProblems } from './problems.ts'
import type { Problem } from './problems.ts'
import { repairer } from './repair.ts'
import type { Repaired } from './repair.ts'

/** A JSON Schema 2020-12, written as a literal. */
export type JsonSchema = { readonly [keyword: string]: unknown; readonly '~standard'?: never }
/** A schema of any library that speaks Standard Schema. */
export type StandardSchema<In = unknown, Out = In> = StandardSchemaV1<In, Out>
/** What describes a value: a Standard Schema of any library, a JSON Schema literal, or one as JSON text. */
export type Schema = StandardSchema | JsonSchema | string
/** What may be written where the schema is asked for. */
export type In<S> = S extends StandardSchemaV1<infer I, unknown> ? I : S extends JsonSchema ? Infer<S> : Unread<S>
/** What the schema makes of it. */
export type Out<S> = S extends StandardSchemaV1<unknown, infer O> ? O : S extends JsonSchema ? Filled<S> : Unread<S>

/** What a text describes is known only when it is read. */
type Unread<S> = S extends string ? Readonly<Record<string, unknown>> : never

/** The names of arguments that a literal has defaults for. */
type Defaulted<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]

/** A literal's value, where what has a default is always there. */
type Filled<S extends JsonSchema> = S extends { readonly properties: infer P }
  ? Infer<S> & { [K in Defaulted<P> & keyof Infer<S>]-?: Exclude<Infer<S>[K], undefined> }
  : Infer<S>

/** A value that does not fit, and why. */
export class Invalid {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    this.problems = problems
  }
}

/** A compiled schema. */
export interface Checker {
  /** The JSON Schema to show. */
  readonly json: Record<string, unknown>
  /** The value as the schema makes it (defaults filled in), or why it does not fit. */
  check(value: unknown): unknown
  /** What a value that does not fit can be taken for without loss, if that is one thing. */
  repair(value: unknown): Repaired | undefined
}

// What a client can provoke is bounded; what we show is cut further.
const MAX_FINDINGS = 200

const isStandard = (schema: StandardSchema | JsonSchema): schema is StandardSchema =>
  '~standard' in schema && schema['~standard'] !== undefined

/** Compile a schema once; a malformed one throws an error that says how to fix it. */
export function compile(given: Schema, direction: 'input' | 'output' = 'input'): Checker {
  const schema: unknown = typeof given === 'string' ? fromText(given) : given
  // Some libraries' schemas are functions.
  const isSchema =
    (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) || typeof schema === 'function'
  if (!isSchema) {
    throw new TypeError(`Malformed JSON Schema: it must be an object or the JSON text of one, got ${show(schema)}`)
  }
  const found = schema as StandardSchema | JsonSchema
  return isStandard(found) ? standard(found, direction) : literal(found)
}

function fromText(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TypeError(`Malformed JSON Schema: the text is not JSON: ${why}`, { cause: error })
  }
}

function literal(schema: JsonSchema): Checker {
  const json = schema as Record<string, unknown>
  const faults = lint(json)
  if (faults.length > 0) throw new TypeError(`Malformed JSON Schema: ${faults.join('; ')}`)
  const fill = defaultsOf(json)
  const bare = ownOf(json)
  // Malformed schemas fail above, when they are registered; code is made on first use, so a server of many tools starts fast.
  let validator: Validator | undefined
  let repair: ((value: unknown) => Repaired | undefined) | undefined
  return {
    json,
    repair: value => (repair ??= repairer(json))(value),
    check(value) {
      validator ??= accelerate(json)
      const own = bare(value)
      if (validator.Check(own)) return fill(value)
      const problems = toProblems(validator.Errors(own)[1], json, value)
      return new Invalid(problems.length > 0 ? problems : [misfit(value)])
    },
  }
}

function accelerate(json: Record<string, unknown>): Validator {
  Settings.Set({ maxErrors: MAX_FINDINGS })
  return Compile(json)
}

function standard(schema: StandardSchema, direction: 'input' | 'output'): Checker {
  const json = jsonOf(schema, direction)
  // Their own check decides; ours only words the refusal, so that all tools complain alike.
  const ours = literal(json)
  const judge = (value: unknown, outcome: StandardSchemaV1.Result<unknown>): unknown => {
    if (!outcome.issues) return outcome.value
    const worded = ours.check(value)
    return worded instanceof Invalid ? worded : new Invalid(outcome.issues.map(fromIssue))
  }
  return {
    json,
    repair: value => ours.repair(value),
    check(value) {
      const outcome = schema['~standard'].validate(value)
      return outcome instanceof Promise ? outcome.then(o => judge(value, o)) : judge(value, outcome)
    },
  }
}

function jsonOf(schema: StandardSchema, direction: 'input' | 'output'): Record<string, unknown> {
  const { vendor, jsonSchema } = schema['~standard'] as Partial<StandardJSONSchemaV1.Props> & { vendor: string }
  if (!jsonSchema) {
    throw new TypeError(
      `This ${vendor} schema cannot describe itself as JSON Schema. Use a version with Standard JSON Schema support ` +
        `(zod ≥ 4.2, arktype ≥ 2.1, valibot with toStandardJsonSchema()), or write the schema as a JSON Schema literal.`,
    )
  }
  return jsonSchema[direction]({ target: 'draft-2020-12' })
}

function fromIssue(issue: StandardSchemaV1.Issue): Problem {
  const path = (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part)).join('.')
  const argument = path === '' ? 'arguments' : path
  return { argument, rule: 'custom', what: `Parameter '${argument}': ${issue.message}.` }
}

const misfit = (value: unknown): Problem => ({
  argument: 'arguments',
  rule: 'schema',
  what: `The arguments do not fit the schema, got ${show(value)}.`,
})

/** The validator takes inherited members for sent ones, so an argument named like one is looked for in a copy without. */
function ownOf({ properties }: Record<string, unknown>): (value: unknown) => unknown {
  const names = isObject(properties) ? Object.keys(properties) : []
  if (!names.some(name => name in Object.prototype)) return value => value
  return value => (isObject(value) ? Object.assign(Object.create(null), value) : value)
}

/** Fills in the defaults of absent top-level members. */
function defaultsOf({ properties }: Record<string, unknown>): (value: unknown) => unknown {
  if (typeof properties !== 'object' || properties === null) return value => value
  const defaults = Object.entries(properties as Record<string, { default?: unknown }>)
    .filter(([, schema]) => typeof schema === 'object' && schema.default !== undefined)
    .map(([name, schema]) => [name, schema.default] as const)
  if (defaults.length === 0) return value => value
  return value => {
    if (typeof value !== 'object' || value === null) return value
    const absent = defaults.filter(([name]) => !Object.hasOwn(value, name))
    return absent.length === 0 ? value : { ...value, ...structuredClone(Object.fromEntries(absent)) }
  }
}
