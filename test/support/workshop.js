// A server with tools that a test needs and nobody else does: `node workshop.js [how long work may take at the end]`.
import { once } from 'node:events'
import { createServer, jsonLog, serveStdio, tool } from '@causeway/engine'

const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())

const wait = tool({ name: 'wait', description: 'Waits for SIGUSR2' }, async (_, { signal }) => {
  process.stderr.write('waiting\n')
  signal.addEventListener('abort', () => process.stderr.write('given up\n'))
  await once(process, 'SIGUSR2', { signal })
  return 'waited'
})

const count = tool({ name: 'count', description: 'Says how far it is, then waits for SIGUSR2' }, async (_, ctx) => {
  for (let step = 1; step <= 3; step++) ctx.progress(step, `step ${step}`, 3)
  await once(process, 'SIGUSR2')
  return 'counted'
})

const ask = tool({ name: 'ask', description: 'Asks for a name' }, async (_, ctx) => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const answer = await ctx.elicit('who', { message: 'Who are you?', schema })
  return answer.action === 'accept' ? `Hello ${String(answer.content.name)}` : answer.action
})

const hang = tool({ name: 'hang', description: 'Never ends, and keeps nothing running either' }, () => {
  process.stderr.write('hanging\n')
  return new Promise(() => {})
})

const shout = tool({ name: 'shout', description: 'Says too much' }, () => {
  console.log('shouted')
  console.info({ also: 'shouted' })
  console.table([{ even: 'this' }])
  process.stdout.write('{"jsonrpc":"2.0","id":1,"result":"forged"}\n')
  return 'whispered'
})

const leak = tool({ name: 'leak', description: 'Fails with a secret' }, () => {
  throw new TypeError('cannot read password of undefined: Bearer abcdefghijklmnop')
})

const server = createServer({ name: 'workshop', version: '1.0.0', log: jsonLog('info') }).add(
  wait,
  count,
  ask,
  hang,
  shout,
  leak,
)
await serveStdio(server, {
  lifecycle: 'lenient',
  signal: stopping.signal,
  drainMs: Number(process.argv[2] ?? 30_000),
})
process.exit(0)
