import { didYouMean } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { callArguments } from '../../config/call-arguments.ts'
import { readConfig } from '../../config/config.ts'
import { UsageError, sentence } from '../../config/usage-error.ts'
import { showing, withServer } from '../../remote/open-server.ts'
import { textOf } from '../../remote/results.ts'
import { print, printJson } from '../../terminal/print.ts'

/** Fill in one prompt, and print its messages. */
export async function prompt(args: Args): Promise<number> {
  const [name, ...pairs] = args.positionals
  if (name === undefined) throw new UsageError(`Name one prompt. Usage: ${args.command.usage}`)
  return withServer(args, async ({ client }) => {
    const known = (await client.list('prompts/list')).map(one => String(one.name))
    if (!known.includes(name)) {
      const hint = known.length === 0 ? 'The server has no prompts.' : 'See: causeway list prompts'
      throw new UsageError(sentence(`Unknown prompt '${name.slice(0, 100)}'.`, didYouMean(name, known), hint))
    }
    const given = await callArguments(args, pairs, { most: readConfig(args).maxRequest })
    // The arguments of prompts are texts.
    const texts = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    )
    const result = await showing(args, options => client.request('prompts/get', { name, arguments: texts }, options))
    await (isGiven(args, 'json') ? printJson(result) : print(inWords(result.messages)))
    return 0
  })
}

const inWords = (messages: unknown): string =>
  (Array.isArray(messages) ? messages : [])
    .filter(isObject)
    .map(({ role, content }) => `${String(role)}: ${wordsOf(content)}`)
    .join('\n\n')

const wordsOf = (content: unknown): string =>
  isObject(content) && content.type === 'text' ? textOf([content]) : JSON.stringify(content)
