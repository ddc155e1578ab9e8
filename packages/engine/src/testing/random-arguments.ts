import { isObject } from '../support/is-object.ts'
import { Invalid, compile } from '../schema/schema.ts'
import type { Schema } from '../schema/schema.ts'

type Json = Readonly<Record<string, unknown>>

/** How many, and which. */
export interface RandomOptions {
  /** Default: 100. */
  readonly count?: number
  /** The same seed gives the same arguments. Default: 1. */
  readonly seed?: number
}

const COUNT = 100
const MOST_TRIES = 200
const DEEPEST = 6

/** Arguments that fit a schema, the edges of what it allows among them; the same ones for the same seed. */
export function* randomArguments(
  schema: Schema,
  { count = COUNT, seed = 1 }: RandomOptions = {},
): Generator<Record<string, unknown>, void, undefined> {
  const checker = compile(schema)
  const maker = new Maker(checker.json, seed)
  for (let i = 0; i < count; i++) yield one(maker, value => !(checker.check(value) instanceof Invalid))
}

function one(maker: Maker, fits: (value: unknown) => boolean): Record<string, unknown> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const value = maker.value()
    if (isObject(value) && fits(value)) return value
  }
  throw new Error(
    `randomArguments() found nothing that fits this schema in ${MOST_TRIES} tries: give "examples" where it has a pattern or a condition`,
  )
}

const TEXTS = [
  '',
  ' ',
  'a',
  'Ada',
  '0',
  'null',
  "O'Hara",
  'ü',
  '漢字',
  '\u{1f600}',
  'a\nb',
  '../x',
  '<b>',
  '$(id)',
  'e\u0301',
]
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-02-29', '1970-01-01'],
  'date-time': ['2024-02-29T23:59:59Z', '1970-01-01T00:00:00+05:30'],
  time: ['23:59:59Z'],
  email: ['ada@example.com'],
  uri: ['https://example.com/a?b=c', 'urn:x:y'],
  'uri-reference': ['/a', 'https://example.com'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000'],
  hostname: ['example.com'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
}

/** Makes values of a schema, each other than the one before. */
class Maker {
  readonly #root: Json
  #state: number

  constructor(root: Json, seed: number) {
    this.#root = root
    // Small seeds begin alike otherwise.
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0
  }

  value(): unknown {
    return this.#make(this.#root, 0)
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T
  }

  #isLucky = (share: number): boolean => this.#random() < share

  #make(given: unknown, depth: number): unknown {
    if (!isObject(given)) return this.#pick(TEXTS)
    const schema = this.#followed(given)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return this.#pick(schema.enum)
    if (Array.isArray(schema.examples) && schema.examples.length > 0 && this.#isLucky(0.5))
      return this.#pick(schema.examples)
    const choices = schema.anyOf ?? schema.oneOf
    if (Array.isArray(choices) && choices.length > 0)
      return this.#make(
        { ...schema, anyOf: undefined, oneOf: undefined, ...this.#followed(this.#pick(choices)) },
        depth + 1,
      )
    return this.#ofType(this.#typeOf(schema), schema, depth)
  }

  #ofType(type: unknown, schema: Json, depth: number): unknown {
    if (type === 'object') return this.#object(schema, depth)
    if (type === 'array') return this.#array(schema, depth)
    if (type === 'string') return this.#text(schema)
    if (type === 'integer' || type === 'number') return this.#number(schema, type === 'integer')
    return type === 'boolean' ? this.#isLucky(0.5) : null
  }

  #typeOf({ type, properties, items }: Json): unknown {
    if (Array.isArray(type)) return this.#pick(type)
    if (type !== undefined) return type
    return properties === undefined ? (items === undefined ? 'string' : 'array') : 'object'
  }

  /** References of the schema itself, and all of what it puts together. */
  #followed(given: unknown, hops = 0): Json {
    if (!isObject(given) || hops > 10) return {}
    const { $ref, allOf, ...own } = given
    const parts = [...(Array.isArray(allOf) ? allOf : []), ...(typeof $ref === 'string' ? [this.#at($ref)] : [])]
    if (parts.length === 0) return given
    return parts.map(part => this.#followed(part, hops + 1)).reduce(joined, own)
  }

  #at(reference: string): unknown {
    const path = reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter(part => part !== '')
    return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), this.#root)
  }

  #object({ properties, required, additionalProperties }: Json, depth: number): Json {
    const known = Object.entries(isObject(properties) ? properties : {})
    const needed = new Set(Array.isArray(required) ? required : [])
    const share = this.#pick([0, 0.5, 1])
    const wanted = known.filter(([name]) => needed.has(name) || (depth < DEEPEST && this.#isLucky(share)))
    const members = wanted.map(([name, schema]) => [name, this.#make(schema, depth + 1)] as const)
    const more = isObject(additionalProperties) && depth < DEEPEST && this.#isLucky(0.5)
    return Object.fromEntries([...members, ...(more ? [['other', this.#make(additionalProperties, depth + 1)]] : [])])
  }

  #array({ items, prefixItems, minItems, maxItems, uniqueItems }: Json, depth: number): unknown[] {
    const least = Number(minItems ?? 0)
    const most = depth < DEEPEST ? Math.min(Number(maxItems ?? least + 3), least + 5) : least
    const first = Array.isArray(prefixItems) ? prefixItems : []
    const length = Math.max(this.#between(least, most), first.length)
    const made = Array.from({ length }, (_, i) => this.#make(first[i] ?? items ?? {}, depth + 1))
    return uniqueItems === true ? [...new Map(made.map(item => [JSON.stringify(item), item])).values()] : made
  }

  #text({ format, minLength, maxLength }: Json): string {
    const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
    if (known) return this.#pick(known)
    const least = Number(minLength ?? 0)
    const most = Number(maxLength ?? Math.max(least, 40))
    const letters = Array.from(this.#pick(TEXTS))
    // The edges of what is allowed are where mistakes are.
    const length = this.#pick([least, Math.min(most, 2000), Math.min(Math.max(letters.length, least), most)])
    while (letters.length < length) letters.push(this.#pick(['a', 'Z', '0', ' ', 'ü']))
    return letters.slice(0, length).join('')
  }

  #number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Json, isWhole: boolean): number {
    const step = isWhole ? 1 : 0.5
    const least = Number(minimum ?? (exclusiveMinimum === undefined ? -1000 : Number(exclusiveMinimum) + step))
    const most = Number(
      maximum ?? (exclusiveMaximum === undefined ? Math.max(least, 1000) : Number(exclusiveMaximum) - step),
    )
    const any = this.#pick([least, most, Math.min(Math.max(0, least), most), least + this.#random() * (most - least)])
    const whole = isWhole ? Math.min(Math.max(Math.round(any), Math.ceil(least)), Math.floor(most)) : any
    return typeof multipleOf === 'number' && multipleOf > 0 ? Math.round(whole / multipleOf) * multipleOf : whole
  }

  #between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1))
  }
}

/** What fits both, as far as properties go. */
function joined(one: Json, other: Json): Json {
  const properties = { ...(other.properties as Json | undefined), ...(one.properties as Json | undefined) }
  const required = [
    ...((one.required as string[] | undefined) ?? []),
    ...((other.required as string[] | undefined) ?? []),
  ]
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
