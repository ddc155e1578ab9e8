import type { Random } from './random.ts'

type Json = Record<string, unknown>

const WORDS = [
  '',
  ' ',
  'a',
  'package.json',
  'src/main.ts',
  '../../etc/passwd',
  '/etc/passwd',
  '.git/config',
  '.',
  '-rf',
  '--help',
  'HEAD',
  'main..HEAD',
  '*',
  '**/*.ts',
  '(a+)+$',
  '[',
  '\\',
  '2004-07-01T00:00:00Z',
  'Titan',
  'ISS',
  '\u0000',
  '\u202e',
  '\ud800',
  'x'.repeat(5000),
  '💥'.repeat(50),
  '__proto__',
  'constructor',
  '%s%n',
  '${PATH}',
  '"\'`',
] as const

const NUMBERS = [0, -0, 1, -1, 2, 10, 1000, 1.5, 1e21, 1e308, -1e308, 2 ** 31, 2 ** 53, 5e-324] as const

/** Any JSON value, small for the most part. */
export function anyValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 8)
  if (kind === 0) return null
  if (kind === 1) return random.chance(0.5)
  if (kind === 2) return random.pick(NUMBERS)
  if (kind <= 4) return random.pick(WORDS)
  const size = random.below(4)
  if (kind === 5) return Array.from({ length: size }, () => anyValue(random, depth + 1))
  if (kind === 6) return nested(random.below(200))
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(WORDS), anyValue(random, depth + 1)]))
}

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value that a JSON Schema would most likely accept. */
export function valueOf(schema: unknown, random: Random, depth = 0): unknown {
  if (!isMap(schema) || depth > 6) return anyValue(random, 4)
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return random.pick(schema.enum)
  if ('const' in schema) return schema.const
  const union = schema.anyOf ?? schema.oneOf
  if (Array.isArray(union) && union.length > 0) return valueOf(random.pick(union), random, depth + 1)
  return typed(schema, random, depth)
}

function typed(schema: Json, random: Random, depth: number): unknown {
  const type: unknown = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return objectOf(schema, random, depth)
    case 'array':
      return Array.from({ length: random.below(4) }, () => valueOf(schema.items, random, depth + 1))
    case 'string':
      return random.pick(WORDS)
    case 'integer':
      return Math.floor(within(schema, random))
    case 'number':
      return within(schema, random)
    case 'boolean':
      return random.chance(0.5)
    default:
      return anyValue(random, 3)
  }
}

function objectOf(schema: Json, random: Random, depth: number): Json {
  const properties = isMap(schema.properties) ? schema.properties : {}
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const wanted = Object.entries(properties).filter(([key]) => required.includes(key) || random.chance(0.4))
  return Object.fromEntries(wanted.map(([key, property]) => [key, valueOf(property, random, depth + 1)]))
}

function within({ minimum, maximum }: Json, random: Random): number {
  const low = typeof minimum === 'number' ? minimum : -5
  const high = typeof maximum === 'number' ? Math.min(maximum, low + 1000) : low + 20
  return random.chance(0.9) ? low + random.next() * (high - low) : random.pick(NUMBERS)
}

/** The same value with one thing in it changed, taken away or added. */
export function mutated(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const at = random.below(value.length)
    return random.chance(0.3) ? value.toSpliced(at, 1) : value.with(at, mutated(value[at], random))
  }
  if (isMap(value) && random.chance(0.8)) {
    const keys = Object.keys(value)
    const key = keys.length > 0 ? random.pick(keys) : 'extra'
    const roll = random.below(4)
    if (roll === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
    if (roll === 1) return { ...value, [random.pick(WORDS)]: anyValue(random) }
    return { ...value, [key]: mutated(value[key], random) }
  }
  return anyValue(random)
}

/** Text with some of its characters changed, lost or doubled. */
export function corrupted(text: string, random: Random): string {
  let damaged = text
  for (let i = 0; i <= random.below(3); i++) {
    const at = random.below(damaged.length + 1)
    const piece = random.pick(['', '\\', '"', '{', ']', ',', '\u0000', '1e999', damaged.slice(at, at + 20)])
    damaged = damaged.slice(0, at) + piece + damaged.slice(at + random.below(3))
  }
  return damaged.replaceAll('\n', ' ')
}
