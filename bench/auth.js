// What it costs a call that its client shows a token: none, one that nobody looks at (the bytes of its header), one of a file, an
// access token (JWT) of an authorization server. Tokens that were verified are not verified again, so the cost is that of looking
// them up. All servers run at once and take short turns, so that whatever else the machine does hits all alike. Two servers
// that are started alike differ by several percent all the same, so the look-up is also measured alone, in this process.
import { createServer } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { newToken, resourceServer } from '@causeway/engine/http'
import { drive, eras, openClients, portOf } from './http-load.js'
import { cpuNs } from './ab-cases.js'
import { launch, stop, within } from './load.js'
import { rotate } from './measure.js'
import { machine, readCount, showRound } from './options.js'
import { median, printTable, summarize } from './report.js'
import { httpTargets } from './targets.js'

const startMs = 10_000
const connections = 32
const warmSeconds = 3
const turnSeconds = 0.3
// The bound that is promised, of the CPU of a call without a token.
const mostShare = 0.05

const { values } = parseArgs({ options: { turns: { type: 'string' }, rounds: { type: 'string' } } })
const turns = readCount('turns', values.turns ?? '24', 1000)
const rounds = readCount('rounds', values.rounds ?? '5', 100)

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
    name: 'token not looked at',
    args,
    authorize: async port => ({ Authorization: `Bearer ${await issuer.sign(`http://127.0.0.1:${port}/mcp`)}` }),
  },
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
await measureLookUp()
for (const era of eras) await measure(era)
issuer.close()

/** What the authenticator itself takes for a request: on a connection that showed the token before, and on a new one. */
async function measureLookUp() {
  const resource = 'http://127.0.0.1/mcp'
  const authenticator = resourceServer({ issuers: [{ issuer: issuer.name }] })
  const token = await issuer.sign(resource)
  const authorization = `Bearer ${token}`
  const asked = connection => ({ connection, resource, token, dpopToken: undefined, header: () => authorization })
  const known = Array.from({ length: connections }, () => ({}))
  for (const connection of known) await authenticator.authenticate(asked(connection))
  const nsOf = (count, connectionAt) => {
    const before = process.cpuUsage()
    for (let i = 0; i < count; i++) void authenticator.authenticate(asked(connectionAt(i)))
    const { user, system } = process.cpuUsage(before)
    return ((user + system) * 1000) / count
  }
  const runs = connectionAt => Array.from({ length: 5 }, () => nsOf(200_000, connectionAt))
  const [again, anew] = [i => known[i % connections], () => ({})].map(connectionAt => median(runs(connectionAt)))
  console.log(
    `\nlook-up of an access token: ${again.toFixed(0)} ns per request, ${anew.toFixed(0)} ns on a new connection`,
  )
}

async function measure(era) {
  const samples = Object.fromEntries(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    showRound(rounds)(round)
    const middles = await turnsOf(rotate(targets, round), era)
    for (const { name } of targets) samples[name].push(middles[name])
  }
  const rows = summarize(samples, ['no token', 'token not looked at'])
  printTable(`server CPU of tools/call, ${era}, ${connections} connections, median of ${rounds} rounds`, rows, {
    unit: 'µs per call',
    digits: 2,
  })
  report(samples)
}

/** Ratios are taken within a round, whose servers met the same machine. */
function report(samples) {
  const over = yardstick => median(samples['access token'].map((cpu, round) => cpu / samples[yardstick][round])) - 1
  const share = over('token not looked at')
  const isKept = share <= mostShare
  console.log(
    `  an access token costs ${percent(over('no token'))}; to look it up ${percent(share)} (at most ${percent(mostShare)}: ${isKept ? 'kept' : 'MISSED'})`,
  )
  if (!isKept) process.exitCode = 1
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}

/** The median CPU of a call of each server, which take turns. */
async function turnsOf(ordered, era) {
  const opened = []
  try {
    for (const target of ordered) opened.push(await open(target, era))
    for (let turn = 0; turn < turns; turn++) {
      for (const one of turn % 2 ? opened.toReversed() : opened) one.samples.push(await one.turn(turnSeconds))
    }
    return Object.fromEntries(opened.map(({ name, samples }) => [name, median(samples)]))
  } finally {
    for (const { close } of opened) await close()
  }
}

async function open(target, era) {
  const server = launch(target)
  const port = await within(server, startMs, portOf(server))
  const calls = Math.ceil((60_000 * (warmSeconds + turns * turnSeconds)) / connections)
  const clients = await openClients(server, port, { era, connections, calls, headers: await target.authorize(port) })
  const turn = async seconds => {
    const before = cpuNs(server.child.pid)
    const { count } = await drive(server, clients, seconds)
    return (cpuNs(server.child.pid) - before) / 1000 / count
  }
  await turn(warmSeconds)
  const close = async () => {
    for (const { socket } of clients) socket.destroy()
    await stop(server)
  }
  return { name: target.name, samples: [], turn, close }
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
