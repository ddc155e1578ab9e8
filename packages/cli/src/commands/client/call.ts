import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { callArguments } from '../../config/call-arguments.ts'
import { readConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { showing, withServer } from '../../remote/open-server.ts'
import type { OpenServer } from '../../remote/open-server.ts'
import { printResult, textOf, valueOf } from '../../remote/results.ts'
import { findTool } from '../../serve/find-tool.ts'
import { complain, printJson } from '../../terminal/print.ts'

/** Call one tool and print its result; a failed call ends with 1. */
export async function call(args: Args): Promise<number> {
  const [name, ...pairs] = args.positionals
  if (name === undefined) throw new UsageError(`Name the tool to call. Usage: ${args.command.usage}`)
  return withServer(args, server => callOn(server, args, { name, pairs }))
}

async function callOn(
  server: OpenServer,
  args: Args,
  { name, pairs }: { name: string; pairs: readonly string[] },
): Promise<number> {
  // Some servers have more tools than they list.
  const tool = server.mayHide ? (await server.tools()).find(one => one.name === name) : await findTool(server, name)
  const { properties } = tool?.inputSchema ?? {}
  const given = await callArguments(args, pairs, { properties, most: readConfig(args).maxRequest })
  const result = await showing(args, options => server.client.callTool(name, given, options))
  const hasFailed = result.isError === true
  if (isGiven(args, 'json')) await printJson(result)
  else if (hasFailed) complain(textOf(Array.isArray(result.content) ? result.content : []))
  else await printResult(valueOf(result))
  return hasFailed ? (server.failureOf?.(name) ?? 1) : 0
}
