import { Compile } from 'typebox/schema'
import type { Validator } from 'typebox/schema'
import { refusalOf } from '../jsonrpc/json-shape.ts'
import { isObject } from '../support/is-object.ts'
import type { Json } from './parts.ts'
import { conversions } from './repair-scalars.ts'

/** One argument that was taken for what it was meant to be. */
export interface Repair {
  /** Its name, or a dotted path inside an argument. */
  readonly argument: string
  readonly repair: 'number' | 'boolean' | 'json' | 'list' | 'absent' | 'case'
}

/** A value that the schema accepts, and what was done to the one that was sent. */
export interface Repaired {
  readonly value: unknown
  readonly repairs: readonly Repair[]
}

/** A part of the schema: where it is, and what it says. */
interface Place {
  readonly pointer: string
  readonly schema: Json
}

const DEEPEST = 32
const MOST_STEPS = 5000
const MOST_VALUES = 10_000
const MOST_CHARACTERS = 1_000_000
const MOST_HOPS = 16
const ROOT = 'urn:causeway:repair'

/** Repairs values that a schema refuses, where that loses nothing and has one meaning; undefined where it has not. */
export function repairer(json: Json): (value: unknown) => Repaired | undefined {
  const validators = new Map<string, Validator>()
  const accepts = (pointer: string, value: unknown): boolean => {
    const known = validators.get(pointer) ?? validatorAt(json, pointer)
    validators.set(pointer, known)
    return known.Check(value)
  }
  return value => {
    if (isLarge(value)) return undefined
    try {
      const found = new Mending(json, accepts).mend(value, { pointer: '', schema: json }, '', 0)
      return found && found.repairs.length > 0 ? found : undefined
    } catch {
      // A part of a schema that cannot be compiled by itself.
      return undefined
    }
  }
}

/** Checks against a part of the schema, with what its references lead to. */
const validatorAt = (json: Json, pointer: string): Validator =>
  pointer === '' ? Compile(json) : Compile({ [ROOT]: json }, { $ref: `${ROOT}#${encoded(pointer)}` })

const encoded = (pointer: string): string => pointer.split('/').map(encodeURIComponent).join('/')
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** One value being repaired. */
class Mending {
  readonly #root: Json
  readonly #accepts: (pointer: string, value: unknown) => boolean
  #steps = MOST_STEPS

  constructor(root: Json, accepts: (pointer: string, value: unknown) => boolean) {
    this.#root = root
    this.#accepts = accepts
  }

  /** The value as a part of the schema accepts it: itself, or the one thing that it can be taken for. */
  mend(value: unknown, place: Place, argument: string, depth: number): Repaired | undefined {
    if (depth > DEEPEST || --this.#steps < 0) return undefined
    if (this.#accepts(place.pointer, value)) return { value, repairs: [] }
    const found = new Map<string, Repaired>()
    for (const candidate of this.#candidates(value, place, argument, depth)) {
      if (candidate && this.#accepts(place.pointer, candidate.value))
        found.set(JSON.stringify(candidate.value), candidate)
      if (found.size > 1) return undefined
    }
    const [only] = found.values()
    return only
  }

  *#candidates(value: unknown, place: Place, argument: string, depth: number): Generator<Repaired | undefined> {
    const { schema } = place
    const target = this.#target(schema)
    if (target) yield this.mend(value, target, argument, depth + 1)
    yield this.#inside(value, place, argument, depth)
    for (const key of ['anyOf', 'oneOf'])
      for (const branch of branchesOf(place, key)) yield this.mend(value, branch, argument, depth + 1)
    yield this.#throughAll(value, place, argument, depth)
    for (const { value: made, repair } of conversions(value, schema))
      yield { value: made, repairs: [{ argument, repair }] }
    yield this.#parsed(value, place, argument, depth) ?? this.#listed(value, place, argument, depth)
  }

  /** Where a reference leads, if that is a place in this schema. */
  #target({ $ref }: Json): Place | undefined {
    let ref = $ref
    for (let hop = 0; hop < MOST_HOPS && typeof ref === 'string' && ref.startsWith('#'); hop++) {
      const pointer = decoded(ref.slice(1))
      const schema = pointer === undefined ? undefined : at(this.#root, pointer)
      if (pointer === undefined || schema === undefined) return undefined
      if (Object.keys(schema).length > 1 || schema.$ref === undefined) return { pointer, schema }
      ref = schema.$ref
    }
    return undefined
  }

  /** Repaired for one part that it must fit after the other. */
  #throughAll(value: unknown, place: Place, argument: string, depth: number): Repaired | undefined {
    let all: Repaired | undefined
    for (const branch of branchesOf(place, 'allOf')) {
      const mended = this.mend(all ? all.value : value, branch, argument, depth + 1)
      if (!mended) return undefined
      all = { value: mended.value, repairs: [...(all?.repairs ?? []), ...mended.repairs] }
    }
    return all
  }

  #inside(value: unknown, place: Place, argument: string, depth: number): Repaired | undefined {
    if (Array.isArray(value)) return this.#items(value, place, argument, depth)
    return isObject(value) ? this.#members(value, place, argument, depth) : undefined
  }

  #members(value: Json, place: Place, argument: string, depth: number): Repaired | undefined {
    const repairs: Repair[] = []
    const entries: [string, unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      const own = memberOf(place, name)
      const path = argument === '' ? name : `${argument}.${name}`
      if (member === null && own?.isNamed && !isRequired(place.schema, name) && !this.#accepts(own.pointer, null)) {
        repairs.push({ argument: path, repair: 'absent' })
        continue
      }
      const mended = own ? this.mend(member, own, path, depth + 1) : { value: member, repairs: [] }
      if (!mended) return undefined
      entries.push([name, mended.value])
      repairs.push(...mended.repairs)
    }
    // Not by assignment: a member may be called `__proto__`.
    return repairs.length === 0 ? undefined : { value: Object.fromEntries(entries), repairs }
  }

  #items(value: readonly unknown[], place: Place, argument: string, depth: number): Repaired | undefined {
    const repairs: Repair[] = []
    const items: unknown[] = []
    for (const [i, item] of value.entries()) {
      const own = itemOf(place, i)
      const mended = own ? this.mend(item, own, `${argument}[${i}]`, depth + 1) : { value: item, repairs: [] }
      if (!mended) return undefined
      items.push(mended.value)
      repairs.push(...mended.repairs)
    }
    return repairs.length === 0 ? undefined : { value: items, repairs }
  }

  /** What a text says, where it is the JSON of an object or a list. */
  #parsed(value: unknown, place: Place, argument: string, depth: number): Repaired | undefined {
    const parsed = typeof value === 'string' ? fromJson(value) : undefined
    const mended = parsed === undefined ? undefined : this.mend(parsed, place, argument, depth + 1)
    return mended && { value: mended.value, repairs: [{ argument, repair: 'json' }, ...mended.repairs] }
  }

  /** The value as the only one of a list; nothing is no value. */
  #listed(value: unknown, place: Place, argument: string, depth: number): Repaired | undefined {
    if (Array.isArray(value) || value === null || value === undefined || value === '') return undefined
    if (!isList(place.schema)) return undefined
    const mended = this.mend([value], place, argument, depth + 1)
    return mended && { value: mended.value, repairs: [{ argument, repair: 'list' }, ...mended.repairs] }
  }
}

const branchesOf = ({ pointer, schema }: Place, key: string): Place[] =>
  (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []).flatMap((branch, i) =>
    isObject(branch) ? [{ pointer: `${pointer}/${key}/${i}`, schema: branch }] : [],
  )

const isList = ({ type, items }: Json): boolean =>
  type === 'array' || (Array.isArray(type) ? type.includes('array') : type === undefined && items !== undefined)

const isRequired = ({ required }: Json, name: string): boolean => Array.isArray(required) && required.includes(name)

/** What the schema says of a member: by its name, or of all that it does not name. */
function memberOf({ pointer, schema }: Place, name: string): (Place & { readonly isNamed: boolean }) | undefined {
  const { properties, additionalProperties: others } = schema
  const named = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (isObject(named)) return { pointer: `${pointer}/properties/${escaped(name)}`, schema: named, isNamed: true }
  if (named !== undefined || !isObject(others)) return undefined
  return { pointer: `${pointer}/additionalProperties`, schema: others, isNamed: false }
}

function itemOf({ pointer, schema }: Place, index: number): Place | undefined {
  const { prefixItems, items } = schema
  const first: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined
  if (isObject(first)) return { pointer: `${pointer}/prefixItems/${index}`, schema: first }
  return first === undefined && isObject(items) ? { pointer: `${pointer}/items`, schema: items } : undefined
}

function decoded(pointer: string): string | undefined {
  try {
    return pointer === '' || pointer.startsWith('/') ? decodeURIComponent(pointer) : undefined
  } catch {
    return undefined
  }
}

function at(root: Json, pointer: string): Json | undefined {
  let value: unknown = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Json)[key]
  }
  return isObject(value) ? value : undefined
}

/** The object or list a text is the JSON of; one that names a member twice would lose the first. */
function fromJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || refusalOf(text) !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isLarge(value) || colonsIn(text) !== membersIn(value) ? undefined : value
  } catch {
    return undefined
  }
}

const colonsIn = (json: string): number => json.replace(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce((sum: number, one) => sum + membersIn(one), 0)
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

/** Is it larger than what is written by hand? */
function isLarge(value: unknown): boolean {
  let [values, characters] = [MOST_VALUES, MOST_CHARACTERS]
  const count = (one: unknown, depth: number): boolean => {
    if (--values < 0 || depth > 2 * DEEPEST) return true
    if (typeof one === 'string') return (characters -= one.length) < 0
    if (typeof one !== 'object' || one === null) return false
    return Object.values(one).some(inner => count(inner, depth + 1))
  }
  return count(value, 0)
}
