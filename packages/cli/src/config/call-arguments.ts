import type { Params } from '@causeway/engine'
import type { ListedSchema } from '../serve/find-tool.ts'
import type { Args } from './args.ts'
import { UsageError } from './usage-error.ts'

type Properties = NonNullable<ListedSchema['properties']>

/** The arguments of a call: an object of --args, then what was written key=value. */
export async function callArguments(
  args: Args,
  pairs: readonly string[],
  { properties = {}, most }: { properties?: Properties | undefined; most: number },
): Promise<Params> {
  const json = args.given.get('args')?.at(-1)
  return {
    ...(json === undefined ? {} : asObject(json === '-' ? await standardInput(most) : json)),
    ...Object.fromEntries(pairs.map(pair => asPair(pair, properties))),
  }
}

/** Everything on standard input, up to the size a request may have. */
async function standardInput(most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most)
      throw new UsageError(`--args -: standard input is longer than --max-request allows (${most} bytes).`)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function asObject(json: string): Params {
  try {
    const value: unknown = JSON.parse(json.replace(/^\uFEFF/, ''))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Params
  } catch {
    // Said below, as for any other value that is no object.
  }
  throw new UsageError(`--args must be a JSON object, got '${json.trim().slice(0, 100)}'.`)
}

/** `key=value`: text where the tool wants text, otherwise JSON if it reads as such. */
function asPair(pair: string, properties: Properties): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) {
    const hint = pair.trimStart().startsWith('{') ? ' A JSON object is given by --args.' : ''
    throw new UsageError(`Arguments are written key=value, got '${pair.slice(0, 100)}'.${hint}`)
  }
  const key = pair.slice(0, at)
  const value = pair.slice(at + 1)
  if (Object.hasOwn(properties, key) && properties[key]?.type === 'string') return [key, value]
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value]
  }
}
