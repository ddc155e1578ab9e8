// Other MCP servers behind one server of yours, with policies around every call.
import { createServer } from '@causeway/engine'
import type { Policy, Server } from '@causeway/engine'
import { concurrency, maskResults, rateLimit, timeout } from '@causeway/engine/policies'
import { Gateway, readServers } from '@causeway/gateway'

/** Leaves out tools that a server says destroy something, and says why. */
const leftOut = (_name: string, { annotations }: Readonly<Record<string, unknown>>): string | undefined =>
  (annotations as { destructiveHint?: unknown } | undefined)?.destructiveHint === true ? 'it destroys' : undefined

/** A server in front of those of a file, and what ends it. */
export async function guarded(
  mcpServers: Readonly<Record<string, unknown>>,
  calls: string[] = [],
): Promise<{ readonly server: Server; close(): Promise<void> }> {
  const noted: Policy = (call, next) => {
    if (call.method === 'tools/call') calls.push(String(call.params.name))
    return next(call)
  }
  const server = createServer({ name: 'guarded', version: '1.0.0', log: false })
  // From the outside to the inside: what comes first sees what the next ones refuse.
  server.use(
    noted,
    rateLimit({ burst: 3, perSecond: 0.01 }),
    concurrency({ running: 8, waiting: 100 }),
    timeout(10_000),
    maskResults({ strict: true }),
  )
  const gateway = new Gateway(server, { leftOut })
  const { upstreams, problems } = readServers(
    { mcpServers },
    { file: 'mcp.json', variables: name => process.env[name], readText: () => undefined },
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  await gateway.apply(upstreams)
  return { server, close: () => gateway.close() }
}
