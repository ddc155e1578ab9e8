// What it costs a call that its client shows a token: none, one that nobody looks at (the bytes of its header), one of a file, an
// access token (JWT) of an authorization server. Tokens that were verified are not verified again, so the cost is that of looking
// them up. One process serves all of them; the look-up is also measured alone, in this process.
import { createServer } from 'node:http'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { newToken, resourceServer } from '@causeway/engine/http'
import { eras } from './http-load.js'
import { extraShare, judge, measureInOneProcess, percent } from './one-process.js'
import { machine, readCount, showRound } from './options.js'
import { median, printTable, summarize } from './report.js'

const connections = 32
// The bound that is promised for the look-up, of the CPU of a call whose token nobody looks at: Node reads its header in any case.
const mostShare = 0.05

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '24' }, rounds: { type: 'string', default: '5' } },
})
const turns = readCount('turns', values.turns, 1000)
const rounds = readCount('rounds', values.rounds, 100)

const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const issuer = await startIssuer()
const listed = newToken('bench')
const tokens = join(folder, 'tokens')
writeFileSync(tokens, `${listed.line}\n`, { mode: 0o600 })

const accessToken = async port => ({ Authorization: `Bearer ${await issuer.sign(`http://127.0.0.1:${port}/mcp`)}` })
const doors = [
  { name: 'no token', door: 'node' },
  { name: 'token not looked at', door: 'node', headers: accessToken },
  { name: 'token of a file', door: 'token-file', headers: async () => ({ Authorization: `Bearer ${listed.token}` }) },
  { name: 'access token', door: 'access-token', headers: accessToken },
]
const flags = ['--tokens', tokens, '--issuer', issuer.name]

console.log(machine)
await measureLookUp()
for (const era of eras) {
  const samples = await measureInOneProcess(doors, { era, connections, rounds, turns, flags }, showRound(rounds))
  const title = `server CPU of tools/call, ${era}, ${connections} connections, median of ${rounds} processes`
  printTable(title, summarize(samples, ['no token', 'token not looked at']), { unit: 'µs per call', digits: 2 })
  console.log(
    `  an access token costs ${percent(extraShare(samples, 'access token', 'no token'))}, its header included`,
  )
  judge('to look it up costs', extraShare(samples, 'access token', 'token not looked at'), mostShare)
}
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
