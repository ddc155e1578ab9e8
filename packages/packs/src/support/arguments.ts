import { RpcError } from '@causeway/engine'
import { resultStep } from '@causeway/engine/policies'
import type { Context, Feature, Policy } from '@causeway/engine'

/** New names of arguments, and what the tool itself calls them. */
export type Names = Readonly<Record<string, string>>

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** A change of the arguments before the tool gets them. */
export type Prepare = (input: Record<string, unknown>) => Record<string, unknown>

/** What else is done to a tool. */
export interface Changes {
  readonly prepare?: Prepare
  /** Arguments that may be left out, and what they are then; without a value, nothing. */
  readonly optional?: Readonly<Record<string, unknown>>
  /** Leave out arguments that are described as the same as others. */
  readonly dropEchoes?: boolean
}

/** A tool whose arguments have other names; those that it has none of stay as they are. */
export function withArguments(
  feature: Feature,
  names: Names,
  { prepare = same, optional = {}, dropEchoes = false }: Changes = {},
): Feature {
  if (feature.kind !== 'tool') return feature
  const input = feature.input as unknown as ObjectSchema | undefined
  const used = Object.entries(names).filter(([, old]) => input && Object.hasOwn(input.properties, old))
  const isEcho = (one: unknown): boolean => dropEchoes && /^The same as \w+$/.test(describedAs(one) ?? '')
  if (!input || (used.length === 0 && !Object.values(input.properties).some(isEcho))) return feature
  const back = new Map(used)
  const toNew = new Map(used.map(([name, old]) => [old, name]))
  const named = (old: string): string => toNew.get(old) ?? old
  const properties = Object.fromEntries(
    Object.entries(input.properties)
      .filter(([, one]) => !isEcho(one))
      .map(([old, one]) => [named(old), defaulted(one, optional[named(old)])]),
  )
  const required = input.required?.map(named).filter(name => !Object.hasOwn(optional, name))
  const run = (given: Record<string, unknown>, ctx: Context): unknown => {
    const renamed = Object.entries(given).map(([name, value]) => [back.get(name) ?? name, value])
    return feature.run(prepare(Object.fromEntries(renamed)) as never, ctx)
  }
  return { ...feature, input: { ...input, properties, ...(required && { required }) }, run }
}

const describedAs = (schema: unknown): string | undefined => (schema as { description?: string }).description

const same: Prepare = input => input

const defaulted = (schema: unknown, value: unknown): unknown =>
  Object.assign(
    {},
    schema,
    value !== undefined && { default: value },
    describedAs(schema)?.includes('repositoryPath') && {
      description: describedAs(schema)
        ?.replace(', relative to repositoryPath', '')
        .replaceAll('repositoryPath', 'repository'),
    },
  )

/** Takes the names that documents, and habit, have for arguments: those that a tool does not have itself. */
export function acceptAliases(
  features: readonly Feature[],
  aliases: Readonly<Record<string, readonly string[]>>,
): Policy {
  const known = new Map<string, ReadonlySet<string>>()
  for (const one of features) {
    const input = one.kind === 'tool' ? (one.input as unknown as ObjectSchema | undefined) : undefined
    if (!input) continue
    const names = new Set(Object.keys(input.properties))
    for (const name of [one.name, ...((one as { aliases?: readonly string[] }).aliases ?? [])]) known.set(name, names)
  }
  return (call, next) => {
    const { name, arguments: given } = call.params
    const names = call.method === 'tools/call' && typeof name === 'string' ? known.get(name) : undefined
    if (!names || typeof given !== 'object' || given === null || Array.isArray(given)) return next(call)
    const renamed = Object.entries(given).map(([key, value]) => {
      const own = nameOf(key, { names, given, aliases })
      return [own, own === 'paths' && typeof value === 'string' ? [value] : value]
    })
    return next({ ...call, params: { ...call.params, arguments: Object.fromEntries(renamed) } })
  }
}

interface Known {
  readonly names: ReadonlySet<string>
  readonly given: object
  readonly aliases: Readonly<Record<string, readonly string[]>>
}

/** What an argument is called here: an alias for the first of its names that the tool has and the call has not. */
function nameOf(key: string, { names, given, aliases }: Known): string {
  if (names.has(key) || !Object.hasOwn(aliases, key)) return key
  return aliases[key]?.find(name => names.has(name) && !Object.hasOwn(given, name)) ?? key
}

/** Errors name arguments as the caller does. */
export const nameArguments = (names: Names): Policy =>
  resultStep({
    onError: error => {
      throw error instanceof Error ? reworded(error, names) : error
    },
  })

function reworded(error: Error, names: Names): Error {
  let { message } = error
  for (const [name, old] of Object.entries(names))
    message = message.replaceAll(`Parameter '${old}'`, `Parameter '${name}'`)
  if (message === error.message) return error
  if (!(error instanceof RpcError)) return new Error(message, { cause: error })
  const { code, data, kind, hint } = error
  return new RpcError(code, message, data, { ...(kind && { kind }), ...(hint !== undefined && { hint }), cause: error })
}
