import { RpcError } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import type { RemoteOptions, RemoteRequest, RemoteServer } from '@causeway/engine/client'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { configWarnings, readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { withCredentials } from '../login/open-credentials.ts'
import { assembly, logOf } from '../serve/assemble.ts'
import { listedTools } from '../serve/find-tool.ts'
import type { ListedTool, ToolLookup } from '../serve/find-tool.ts'
import { surviveRejections } from '../terminal/stray-rejections.ts'
import { complain, remark } from '../terminal/print.ts'
import { progressLine } from '../terminal/progress.ts'
import { LOGIN_REQUIRED, connectTo, unusable } from './connect.ts'
import { remoteTarget } from './target.ts'
import type { RemoteTarget } from './target.ts'
import { terminalAnswers } from './terminal-answers.ts'

/** A server to use from the command line: the one these flags would serve, or the one that --url or --command names. */
export interface OpenServer extends ToolLookup {
  readonly client: RemoteServer
  /** May it have tools that it does not list? */
  readonly mayHide: boolean
  /** The exit code if a call of that tool failed. Default: 1. */
  readonly failureOf?: (tool: string) => number
}

// An error message can be as long as a result.
const LONGEST_REASON = 4000

/** Open a server, use it, and close it whatever happens. */
export async function withServer(args: Args, use: (server: OpenServer) => Promise<number>): Promise<number> {
  const config = readConfig(args)
  if (!args.given.has('url') && !args.given.has('command')) return withOwnServer(args, wholeResults(args, config), use)
  return withCredentials(config, credentials => withRemote(args, config, remoteTarget(args, credentials), use))
}

async function withRemote(
  args: Args,
  config: Config,
  remote: RemoteTarget,
  use: (server: OpenServer) => Promise<number>,
): Promise<number> {
  const timeoutMs = config.given.has('timeout') ? config.timeout : undefined
  const client = await connectTo(remote, {
    ...clientOptions(args, config),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  const tools = async (): Promise<readonly ListedTool[]> =>
    (await client.list('tools/list')).filter(isNamed) as unknown as readonly ListedTool[]
  try {
    return await use({ client, tools, mayHide: true, explain: async () => undefined })
  } catch (error) {
    throw error instanceof RpcError ? refused(error) : unusable(remote, error)
  } finally {
    await client.close()
  }
}

/** A tool without a name cannot be called. */
export const isNamed = ({ name }: Readonly<Record<string, unknown>>): boolean => typeof name === 'string'

/** What the server said is the reason. */
const refused = ({ message }: RpcError): UsageError => new UsageError(message.slice(0, LONGEST_REASON), 1)

const needsLogin = (server: string): UsageError =>
  new UsageError(`${server} requires a login. Log in with: causeway login ${server}`, LOGIN_REQUIRED)

/** Who calls a tool in a shell has room for all it says. */
const wholeResults = (args: Args, config: Config): Config =>
  args.command.name === 'call' && !args.given.has('result-budget') ? { ...config, resultBudget: undefined } : config

async function withOwnServer(
  args: Args,
  config: Config,
  use: (server: OpenServer) => Promise<number>,
): Promise<number> {
  for (const warning of configWarnings(config)) remark(warning)
  surviveRejections(logOf(config), config.toolsDir)
  const { server, explain, gateway } = await assembly(config)
  await gateway?.loaded()
  const target = { target: { open: () => memoryTransport(server, { strict: false }) }, shown: 'This server' }
  // How long a call may take is for the server to decide.
  const client = await connectTo(target, { ...clientOptions(args, config), timeoutMs: 0 })
  try {
    const explained = async (name: string): Promise<string | undefined> => {
      const far = gateway?.loginFor(name)
      if (far !== undefined) throw needsLogin(far)
      return explain(name)
    }
    const failureOf = (name: string): number => (gateway?.loginFor(name) === undefined ? 1 : LOGIN_REQUIRED)
    return await use({ client, explain: explained, failureOf, mayHide: false, tools: () => listedTools(server) })
  } catch (error) {
    throw error instanceof RpcError ? refused(error) : error
  } finally {
    await client.close()
    await gateway?.close()
  }
}

/** What a person at a terminal can be asked and shown. */
function clientOptions(args: Args, config: Config): Partial<RemoteOptions> {
  const isQuiet = isGiven(args, 'quiet')
  return {
    ...terminalAnswers(config.given.has('root') ? config.root : []),
    ...(!isQuiet && { onLog: shownLog() }),
  }
}

const MOST_MESSAGES = 1000

/** Shows the messages of a server, but not without end. */
function shownLog(): (params: Readonly<Record<string, unknown>>) => void {
  let count = 0
  return params => {
    count += 1
    if (count <= MOST_MESSAGES) complain(logLine(params))
    else if (count === MOST_MESSAGES + 1) complain('The server sends more messages; they are not shown.')
  }
}

/** A message of a server, as one line: what follows it is not the server's. */
export function logLine({ level, logger, data }: Readonly<Record<string, unknown>>): string {
  const words = typeof data === 'string' ? data : JSON.stringify(data)
  return `${String(level)}${typeof logger === 'string' ? ` ${logger}` : ''}: ${words}`
    .slice(0, 2000)
    .replaceAll(/\s+/g, ' ')
}

// As shells have it for Ctrl-C.
const CANCELLED = 130

/** One request whose progress is shown, and which Ctrl-C cancels. */
export async function showing<T>(args: Args, request: (options: RemoteRequest) => Promise<T>): Promise<T> {
  const line = progressLine(!isGiven(args, 'quiet'))
  const stopping = new AbortController()
  const stop = (): void => stopping.abort(new Error('Cancelled'))
  process.once('SIGINT', stop)
  try {
    const { signal } = stopping
    return await request({ signal, ...(line.isShown && { onProgress: params => line.show(params) }) })
  } catch (error) {
    throw stopping.signal.aborted ? new UsageError('Cancelled.', CANCELLED) : error
  } finally {
    process.off('SIGINT', stop)
    line.clear()
  }
}
