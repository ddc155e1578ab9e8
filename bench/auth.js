// What it costs a call that its client shows a token: none, one of a file, an access token (JWT) of an authorization
// server. Tokens that were verified are not verified again, so the cost is that of looking them up.
import { createServer } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { newToken } from '@causeway/engine/http'
import { drive, eras, openClients, portOf } from './http-load.js'
import { cpuMs } from './http-measure.js'
import { launch, stop, within } from './load.js'
import { rotate } from './measure.js'
import { machine, readCount, showRound } from './options.js'
import { pick, printTable, summarize } from './report.js'
import { httpTargets } from './targets.js'

const startMs = 10_000
const connections = 32
const warmCalls = 20_000
// The bound that is promised, of the CPU of a call without a token.
const mostShare = 0.05

const { values } = parseArgs({ options: { seconds: { type: 'string' }, rounds: { type: 'string' } } })
const seconds = readCount('seconds', values.seconds ?? '2', 60)
const rounds = readCount('rounds', values.rounds ?? '7', 100)

const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const issuer = await startIssuer()
const listed = newToken('bench')
const tokens = join(folder, 'tokens')
writeFileSync(tokens, `${listed.line}\n`, { mode: 0o600 })

const { args } = httpTargets.find(({ name }) => name === 'causeway')
const targets = [
  { name: 'no token', args, authorize: async () => ({}) },
  {
    name: 'token of a file',
    args: [...args, '--token-file', tokens],
    authorize: async () => ({ Authorization: `Bearer ${listed.token}` }),
  },
  {
    name: 'access token',
    args: [...args, '--auth-issuer', issuer.name],
    authorize: async port => ({ Authorization: `Bearer ${await issuer.sign(`http://127.0.0.1:${port}/mcp`)}` }),
  },
]

console.log(machine)
for (const era of eras) await measure(era)
issuer.close()

async function measure(era) {
  const samples = Object.fromEntries(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    showRound(rounds)(round)
    for (const target of rotate(targets, round)) samples[target.name].push(await cpuOf(target, era))
  }
  const rows = summarize(pick(samples, 'cpu'), ['no token'])
  printTable(`server CPU of tools/call, ${era}, ${connections} connections, median of ${rounds} rounds`, rows, {
    unit: 'µs per call',
    digits: 2,
  })
  const { to } = rows.find(({ name }) => name === 'access token')
  const share = to['no token'] - 1
  const isKept = share <= mostShare
  console.log(
    `  an access token costs ${(share * 100).toFixed(1)} % (at most ${mostShare * 100} %: ${isKept ? 'kept' : 'MISSED'})`,
  )
  if (!isKept) process.exitCode = 1
}

async function cpuOf(target, era) {
  const server = launch(target)
  try {
    const port = await within(server, startMs, portOf(server))
    const calls = Math.ceil((10 * seconds * 60_000) / connections)
    const clients = await openClients(server, port, { era, connections, calls, headers: await target.authorize(port) })
    for (let warm = 0; warm < warmCalls;) warm += (await drive(server, clients, 1)).count
    const before = cpuMs(server.child.pid)
    const { count } = await drive(server, clients, seconds)
    const cpu = ((cpuMs(server.child.pid) - before) / count) * 1000
    for (const { socket } of clients) socket.destroy()
    return { cpu }
  } finally {
    await stop(server)
  }
}

/** An authorization server that publishes its key and signs. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }
  const listener = createServer(({ url }, response) => {
    const metadata = { issuer: name, jwks_uri: `${name}/keys` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url === '/keys' ? { keys: [key] } : metadata))
  })
  await new Promise(resolve => listener.listen(0, '127.0.0.1', resolve))
  const name = `http://127.0.0.1:${listener.address().port}`
  const sign = audience =>
    new SignJWT({ scope: 'read write', client_id: 'bench' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'at+jwt' })
      .setIssuer(name)
      .setSubject('bench')
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('2h')
      .sign(privateKey)
  return { name, sign, close: () => listener.close() }
}
