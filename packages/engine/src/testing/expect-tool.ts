import { deepEqual, fail } from 'node:assert/strict'
import type { Params } from '../jsonrpc/message.ts'
import { lintTools } from '../lint/lint-tools.ts'
import { levelOf } from '../lint/lint-finding.ts'
import type { RuleName } from '../lint/lint-finding.ts'
import { isObject } from '../support/is-object.ts'
import type { Client } from '../testing.ts'
import { randomArguments } from './random-arguments.ts'
import type { RandomOptions } from './random-arguments.ts'

/** What a test says of one tool; each fails with an AssertionError. */
export interface ExpectTool {
  /** A call returns exactly this: the structured value, else the text. */
  returns(args: Params, value: unknown): Promise<void>
  /** A call fails, with these words in its message. */
  fails(args: Params, words: string | RegExp): Promise<void>
  /** The arguments are refused before the tool runs; the message names the argument. */
  refuses(args: Params, argument: string): Promise<void>
  /** Random arguments that the schema allows never end in an internal error, or in a result that the output schema forbids. */
  survives(options?: RandomOptions): Promise<void>
}

/** What a test says of one tool of a client's server. Works with any runner, since it throws AssertionErrors. */
export function expectTool(client: Pick<Client, 'call' | 'request'>, name: string): ExpectTool {
  const failure = async (args: Params): Promise<string> => {
    try {
      await client.call(name, args)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    return fail(`Tool '${name}' returned a result for ${shown(args)}, and should have failed`)
  }
  return {
    returns: async (args, value) => deepEqual(await client.call(name, args), value),
    fails: async (args, words) => {
      const message = await failure(args)
      const isSaid = typeof words === 'string' ? message.includes(words) : words.test(message)
      if (!isSaid) fail(`Tool '${name}' failed with other words than ${String(words)}: ${message}`)
    },
    refuses: async (args, argument) => {
      const message = await failure(args)
      const isRefusal = message.includes('Invalid arguments') && message.includes(`'${argument}'`)
      if (!isRefusal) fail(`Tool '${name}' did not refuse '${argument}' of ${shown(args)}: ${message}`)
    },
    survives: async options => {
      const schema = await inputOf(client, name)
      for (const args of randomArguments(schema, options)) {
        const problem = await problemOf(client, name, args)
        if (problem !== undefined) fail(`Tool '${name}' breaks with ${shown(args)}: ${problem}`)
      }
    },
  }
}

const shown = (args: Params): string => JSON.stringify(args).slice(0, 1000)

async function inputOf(client: Pick<Client, 'request'>, name: string): Promise<Params> {
  const found = (await allTools(client)).find(tool => tool.name === name)
  if (!found) fail(`There is no tool '${name}' in tools/list`)
  return isObject(found.inputSchema) ? found.inputSchema : {}
}

/** An error of the tool's own is a fine answer; a mistake in its code is none. */
async function problemOf(client: Pick<Client, 'call'>, name: string, args: Params): Promise<string | undefined> {
  try {
    await client.call(name, args)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return /^Internal error \(reference|^Invalid arguments/.test(message) ? message : undefined
  }
}

const MOST_PAGES = 1000

async function allTools(client: Pick<Client, 'request'>): Promise<readonly Params[]> {
  const tools: Params[] = []
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = await client.request('tools/list', cursor === undefined ? {} : { cursor })
    tools.push(...(result.tools as Params[]))
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  return tools
}

/** Which findings count. */
export interface LintOptions {
  /** Rules that are not looked at. */
  readonly ignore?: readonly RuleName[]
}

/** Throws an AssertionError with all that clients would refuse or models misread in the tools of a server. */
export async function lintDefinitions(
  client: Pick<Client, 'request'>,
  { ignore = [] }: LintOptions = {},
): Promise<void> {
  const found = lintTools(await allTools(client)).filter(one => !ignore.includes(one.rule) && levelOf(one) !== 'note')
  if (found.length > 0) fail(found.map(({ rule, subject, message }) => `${subject}: ${message} (${rule})`).join('\n'))
}
