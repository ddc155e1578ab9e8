import { adopt, after } from '../awaitable.ts'
import type { Handle } from '../call.ts'
import { isContent, text } from '../content.ts'
import type { PromptMessage } from '../content.ts'
import type { Prompt, Script } from '../define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import { didYouMean } from '../schema/nearest.ts'
import { asking } from './asking.ts'
import type { Entry, MemoryShelf } from './shelf.ts'

/** A prompt made ready. */
export interface PromptEntry extends Entry {
  readonly feature: Prompt
}

/** Make a prompt ready. */
export function readyPrompt(feature: Prompt): PromptEntry {
  const { kind: _, get: _get, arguments: args, ...info } = feature
  const shown = args?.map(({ complete: _complete, ...arg }) => arg)
  return { key: feature.name, info: { ...info, ...(shown && { arguments: shown }) }, feature }
}

/** The method `prompts/get`. */
export const getPrompt =
  (shelf: MemoryShelf<PromptEntry>): Handle =>
  call => {
    const { name, arguments: args } = call.params
    if (typeof name !== 'string') throw fault('invalid-params', 'Invalid params: "name" must be the name of a prompt')
    const feature = shelf.find(name)?.feature ?? unknownPrompt(name, shelf)
    const given = checked(feature, args ?? {})
    return asking(call, ctx =>
      after(adopt(feature.get(given as never, ctx)), script => ({
        ...(feature.description !== undefined && { description: feature.description }),
        messages: toMessages(script),
      })),
    )
  }

/** The refusal of a name nobody knows. */
export function unknownPrompt(name: string, shelf: MemoryShelf<PromptEntry>): never {
  const hint = didYouMean(
    name,
    shelf.list().map(({ key }) => key),
  )
  throw fault(
    'invalid-params',
    `Prompt not found: ${name.slice(0, 200)}`,
    undefined,
    hint === undefined ? {} : { hint },
  )
}

/** Every argument that is missing or no string, at once. */
function checked({ name, arguments: known = [] }: Prompt, args: unknown): Record<string, string> {
  if (!isObject(args)) throw fault('invalid-params', 'Invalid params: "arguments" must be an object')
  const missing = known.filter(arg => arg.required && !Object.hasOwn(args, arg.name))
  const wrong = Object.entries(args).filter(([, value]) => typeof value !== 'string')
  const problems = [
    ...missing.map(arg => `Missing required argument '${arg.name}'.`),
    ...wrong.map(([key]) => `Argument '${key.slice(0, 100)}' must be a string.`),
  ]
  if (problems.length > 0) {
    throw fault('invalid-params', `Invalid arguments for prompt '${name}': ${problems.join(' ')}`)
  }
  return args as Record<string, string>
}

function toMessages(script: Script): PromptMessage[] {
  if (typeof script === 'string') return [{ role: 'user', content: text(script) }]
  const items = isContent(script) ? [script] : script
  return items.map(item => ('role' in item ? item : { role: 'user', content: item }))
}
