import { adopt, after } from '../awaitable.ts'
import type { Awaitable, Caller, Handle } from '../call.ts'
import { checkBlocks, isContent, text } from '../define/content.ts'
import type { PromptMessage, PromptResult } from '../define/content.ts'
import type { Prompt, Script } from '../define/define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import { orOf } from '../schema/nearest.ts'
import { asking } from './asking.ts'
import { completing } from './completing.ts'
import type { ComposedShelf } from '../catalog/composed-shelf.ts'
import { hintOf } from '../catalog/shelf.ts'
import type { Entry } from '../catalog/shelf.ts'

/** A prompt of this server. */
export function readyPrompt(prompt: Prompt): Entry {
  if (prompt.name === '') throw new TypeError('A prompt needs a name')
  const { kind: _, get: _get, arguments: args, cache, ...info } = prompt
  const shown = args?.map(({ complete: _complete, ...arg }) => arg)
  const completers = new Map(args?.map(({ name, complete }) => [name, complete]))
  return {
    key: prompt.name,
    info: { ...info, ...(shown && { arguments: shown }) },
    ...hintOf(cache),
    run: runPrompt(prompt),
    complete: completing(completers),
  }
}

const runPrompt =
  (prompt: Prompt): Handle =>
  call => {
    const given = checked(prompt, call.params.arguments ?? {})
    return asking(call, ctx =>
      after(adopt(prompt.get(given as never, ctx)), script => {
        const { description = prompt.description, messages } = spelledOut(script)
        return { ...(description !== undefined && { description }), messages: toMessages(prompt.name, messages) }
      }),
    )
  }

/** The method `prompts/get`. */
export const getPrompt =
  (prompts: ComposedShelf<Entry>): Handle =>
  call => {
    const { name } = call.params
    if (typeof name !== 'string') throw fault('invalid-params', 'Invalid params: "name" must be the name of a prompt')
    return after(prompts.find(name, call.caller), entry =>
      entry ? entry.run(call) : unknownPrompt(name, prompts, call.caller),
    )
  }

/** The refusal of an unknown name. */
export function unknownPrompt(name: string, prompts: ComposedShelf<Entry>, caller: Caller): Awaitable<never> {
  return after(prompts.suggest(name, caller), suggestions => {
    const hint = suggestions.length > 0 ? { hint: `Did you mean ${orOf(suggestions)}?` } : {}
    throw fault('unknown-prompt', `Prompt not found: ${cut(name, 200)}`, undefined, hint)
  })
}

/** Every argument that is missing or no string, at once. */
function checked({ name, arguments: known = [] }: Prompt, args: unknown): Record<string, string> {
  if (!isObject(args)) throw fault('invalid-params', 'Invalid params: "arguments" must be an object')
  const missing = known.filter(arg => arg.required && !Object.hasOwn(args, arg.name))
  const wrong = Object.entries(args).filter(([, value]) => typeof value !== 'string')
  const problems = [
    ...missing.map(arg => `Missing required argument '${arg.name}'.`),
    ...wrong.slice(0, MOST_PROBLEMS).map(([key]) => `Argument '${cut(key, 100)}' must be a string.`),
    ...(wrong.length > MOST_PROBLEMS ? [`And ${wrong.length - MOST_PROBLEMS} more.`] : []),
  ]
  if (problems.length > 0) {
    throw fault('invalid-params', `Invalid arguments for prompt '${name}': ${problems.join(' ')}`)
  }
  return args as Record<string, string>
}

const MOST_PROBLEMS = 20

function spelledOut(script: Script): PromptResult {
  if (typeof script === 'string') return { messages: [text(script)] }
  if (isContent(script)) return { messages: [script] }
  return 'messages' in script ? script : { messages: script }
}

function toMessages(name: string, items: PromptResult['messages']): PromptMessage[] {
  const messages = items.map(item => ('role' in item ? item : { role: 'user' as const, content: item }))
  const blocks = messages.map(({ content }) => content)
  checkBlocks(blocks, `Prompt '${name}' returned malformed content`)
  return messages
}
