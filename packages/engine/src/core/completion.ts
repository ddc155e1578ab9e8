import type { Handle } from '../call.ts'
import type { Completer } from '../define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import { unknownPrompt } from './prompts.ts'
import type { PromptEntry } from './prompts.ts'
import type { TemplateEntry } from './resources.ts'
import type { MemoryShelf } from './shelf.ts'

const MOST = 100

/** Where completers stand. */
export interface CompletionShelves {
  readonly prompts: MemoryShelf<PromptEntry>
  readonly templates: MemoryShelf<TemplateEntry>
}

/** Does anything here propose values? */
export const canComplete = ({ prompts, templates }: CompletionShelves): boolean =>
  prompts.list().some(({ feature }) => feature.arguments?.some(arg => arg.complete !== undefined)) ||
  templates.list().some(({ feature }) => feature.complete !== undefined)

/** The method `completion/complete`. */
export const complete =
  (shelves: CompletionShelves): Handle =>
  async ({ params }) => {
    const { name, value } = argumentOf(params)
    const completer = find(shelves, params.ref, name)
    const proposed = completer ? await propose(completer, value, othersOf(params.context)) : []
    const values = proposed.slice(0, MOST)
    return { completion: { values, total: proposed.length, hasMore: proposed.length > MOST } }
  }

function argumentOf({ argument }: Params): { name: string; value: string } {
  const { name, value } = isObject(argument) ? argument : {}
  if (typeof name === 'string' && typeof value === 'string') return { name, value }
  throw fault('invalid-params', 'Invalid params: "argument" must be an object with the strings "name" and "value"')
}

function find(shelves: CompletionShelves, ref: unknown, name: string): Completer | undefined {
  const { type, name: prompt, uri } = isObject(ref) ? ref : {}
  if (type === 'ref/prompt' && typeof prompt === 'string') return ofPrompt(shelves.prompts, prompt, name)
  if (type === 'ref/resource' && typeof uri === 'string') return ofTemplate(shelves.templates, uri, name)
  throw fault('invalid-params', 'Invalid params: "ref" must be a ref/prompt with a name or a ref/resource with a uri')
}

function ofPrompt(prompts: MemoryShelf<PromptEntry>, key: string, name: string): Completer | undefined {
  const { arguments: known = [] } = (prompts.find(key) ?? unknownPrompt(key, prompts)).feature
  const argument = known.find(arg => arg.name === name)
  if (!argument)
    throw noSuchArgument(
      name,
      known.map(arg => arg.name),
    )
  return argument.complete
}

function ofTemplate(templates: MemoryShelf<TemplateEntry>, uri: string, name: string): Completer | undefined {
  const entry = templates.find(uri)
  if (!entry) throw fault('invalid-params', `Invalid params: there is no resource template ${uri.slice(0, 200)}`)
  if (!entry.pattern.variables.includes(name)) throw noSuchArgument(name, entry.pattern.variables)
  const { complete = {} } = entry.feature
  return Object.hasOwn(complete, name) ? complete[name] : undefined
}

const noSuchArgument = (name: string, known: readonly string[]): Error =>
  fault(
    'invalid-params',
    `Invalid params: there is no argument '${name.slice(0, 100)}', only ${known.join(', ') || 'none'}`,
  )

async function propose(
  completer: Completer,
  typed: string,
  others: Record<string, string>,
): Promise<readonly string[]> {
  if (typeof completer === 'function') return completer(typed, others)
  const start = typed.toLowerCase()
  return completer.filter(value => value.toLowerCase().startsWith(start))
}

function othersOf(context: unknown): Record<string, string> {
  const given = isObject(context) && isObject(context.arguments) ? context.arguments : {}
  return Object.fromEntries(
    Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}
