import { visibleJson } from '@causeway/engine/internal'
import { connect } from '@causeway/engine/testing'
import type { Message, Params, Server } from '@causeway/engine'
import type { Args } from '../config/args.ts'
import { assembly, logOf } from '../serve/assemble.ts'
import { readConfig } from '../config/config.ts'
import { surviveRejections } from '../terminal/stray-rejections.ts'
import { complain, overwrite, print, printExact } from '../terminal/print.ts'
import { findTool } from '../serve/find-tool.ts'
import type { ListedSchema } from '../serve/find-tool.ts'
import { UsageError } from '../config/usage-error.ts'

type Properties = NonNullable<ListedSchema['properties']>

/** Call one tool and print its result; a failed call ends with 1. */
export async function call(args: Args): Promise<number> {
  const [name, ...pairs] = args.positionals
  if (name === undefined) throw new UsageError(`Name the tool to call. Usage: ${args.command.usage}`)
  const read = readConfig(args)
  // Who has a shell has room for the whole.
  const config = args.given.has('result-budget') ? read : { ...read, resultBudget: undefined }
  surviveRejections(logOf(config), config.toolsDir)
  const { server, explain, gateway } = await assembly(config)
  await gateway?.loaded()
  const { properties = {} } = (await findTool(server, name, explain)).inputSchema
  const json = args.given.get('json')?.at(-1)
  const given = {
    ...(json === undefined ? {} : asObject(json === '-' ? await standardInput(config.maxRequest) : json)),
    ...Object.fromEntries(pairs.map(p => asPair(p, properties))),
  }
  let value: unknown
  try {
    value = await callShowing(server, name, given)
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
    return 1
  } finally {
    await gateway?.close()
  }
  await printResult(value)
  return 0
}

/** A program gets the result as it is, a person one that is safe to look at. */
function printResult(value: unknown): Promise<void> {
  const text = typeof value === 'string' ? value : visibleJson(value)
  return process.stdout.isTTY ? print(text) : printExact(text)
}

/** Where a person watches, the progress of the call is a line that is written over. */
async function callShowing(server: Server, name: string, given: Params): Promise<unknown> {
  if (!process.stderr.isTTY) return connect(server).call(name, given)
  const onMessage = (message: Message): void => {
    if (!('method' in message) || message.method !== 'notifications/progress') return
    const { progress, total, message: words = '' } = message.params as unknown as Progress
    const share = total === undefined ? String(progress) : `${Math.round((progress / total) * 100)} %`
    overwrite(`${share} ${words}`)
  }
  try {
    return await connect(server, { onMessage }).call(name, given, { progressToken: name })
  } finally {
    overwrite('')
  }
}

interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Everything on standard input, up to the size a request may have. */
async function standardInput(most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most)
      throw new UsageError(`--json -: standard input is longer than --max-request allows (${most} bytes).`)
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
  throw new UsageError(`--json must be a JSON object, got '${json.trim().slice(0, 100)}'.`)
}

/** `key=value`: text where the tool wants text, otherwise JSON if it reads as such. */
function asPair(pair: string, properties: Properties): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`Arguments are written key=value, got '${pair.slice(0, 100)}'.`)
  const key = pair.slice(0, at)
  const value = pair.slice(at + 1)
  if (Object.hasOwn(properties, key) && properties[key]?.type === 'string') return [key, value]
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value]
  }
}
