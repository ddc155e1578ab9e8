// One of several processes behind a balancer: `node server.js REDIS-URL [OPTIONS]`; says on stdout where it listens.
import { createServer as createListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer, jsonLog, resource, tool } from '@causeway/engine'
import { rateLimit } from '@causeway/engine/policies'
import { httpHandler } from '@causeway/engine/http'

const [url, given = '{}'] = process.argv.slice(2)
const { processId, rate, port = 0, http = {}, log: level = 'silent' } = JSON.parse(given)
const log = jsonLog(level)
const store = url ? await (await import('@causeway/engine/redis')).redisStore(url, { processId, log }) : undefined

const server = createServer({ name: 'scale', version: '1.0.0', log })
if (rate) server.use(rateLimit({ ...rate, by: () => 'all', ...(store && { store }) }))

const NUMBERS = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }
const COUNT = { type: 'object', properties: { to: { type: 'number' }, everyMs: { type: 'number' } } }
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const extra = tool({ name: 'extra', description: 'Comes and goes' }, () => 'here')

server.add(
  tool({ name: 'add', description: 'Adds', input: NUMBERS }, ({ a, b }) => `${a + b}`),
  tool({ name: 'where', description: 'Names the process' }, () => `${process.pid}`),
  tool({ name: 'count', description: 'Counts aloud', input: COUNT }, async ({ to, everyMs }, ctx) => {
    for (let i = 1; i <= to; i++) {
      ctx.progress(i, `${process.pid}`, to)
      await pause(everyMs, undefined, { signal: ctx.signal })
    }
    return `counted to ${to}`
  }),
  tool({ name: 'ask', description: 'Asks for a name' }, async (_, ctx) => {
    const answer = await ctx.elicit('who', { message: 'Who are you?', schema: NAME })
    return answer.action === 'accept' ? `Hello ${String(answer.content.name)}` : answer.action
  }),
  tool({ name: 'change', description: 'Changes the list of tools' }, () => {
    if (!server.remove('tool', 'extra')) server.add(extra)
    return 'changed'
  }),
  tool({ name: 'touch', description: 'Says that a note changed' }, () => {
    server.updated('note://one')
    return 'touched'
  }),
  resource({ uri: 'note://one', name: 'one' }, () => 'first note'),
)

const { handle, drain } = httpHandler(server, { drainMs: 2000, ...http, ...(store && { store }) })
// As the command has it: a client that pauses for a few seconds finds its connection open.
const listener = createListener({ keepAliveTimeout: 65_000 }, (request, response) => {
  // So that a client's next request is balanced anew, unless it chooses for itself.
  response.shouldKeepAlive = request.headers['x-keep-alive'] !== undefined
  handle(request, response)
})
listener.listen(port, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(listener.address().port)}\n`))
const stop = async () => {
  listener.close()
  await drain()
  await store?.close()
  process.exit(0)
}
process.on('SIGTERM', () => void stop())
// Whoever started it is gone.
process.stdin.on('end', () => process.exit(0)).resume()
