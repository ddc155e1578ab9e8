// Attacks with links, keys, tokens, signatures and sessions.
import { createHash, createHmac } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { ANN, BOB, MIA, ROOT, SAM } from '../rows.js'
import { field, isOk } from './objects.js'

const now = () => Math.floor(Date.now() / 1000)
const digest = text => createHash('sha256').update(text).digest('hex')

/** Opens the session of a user, with changes to what it holds. */
const withSession = (world, session) => (method, path, options) => world.http(method, path, { ...options, session })

export const scenarios = {
  'MIT-030a': async world => {
    const share = (id, user) => world.http('POST', `/documents/${id}/share`, { user })
    const open = token => world.http('GET', `/shared/${token}`)
    const stolen = isOk(await share(2, ANN))
    const { body } = await share(1, ANN)
    const isOpen = (await open(body.token)).body?.title === 'a' && !isOk(await open('guess'))
    const kept = JSON.stringify(await world.sql('SELECT * FROM shares'))
    await world.sql('UPDATE shares SET expires_at = 1')
    return { attack: stolen || kept.includes(body.token) || isOk(await open(body.token)), use: isOpen }
  },

  'MIT-032a': async world => {
    // Blanks that a parser would drop: only the raw bytes fit the signature.
    const text = '{ "invoice_id":   1 }'
    const sign = (time, body = text, key = 'secret') =>
      `t=${time},v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`
    const post = signature =>
      world.http('POST', '/webhooks/payments', { text, headers: signature ? { 'X-Signature': signature } : {} })
    const forged = [
      undefined,
      'nonsense',
      't=abc,v1=00',
      sign(now(), text, 'wrong'),
      sign(now() - 3600),
      sign(now(), '{}'),
    ]
    const replies = []
    for (const signature of forged) replies.push(await post(signature))
    const attack = (await field(world, 'invoices', 1, 'status')) === 'paid'
    await post(sign(now()))
    const isClean = replies.every(({ status }) => status < 500)
    return { attack, use: isClean && (await field(world, 'invoices', 1, 'status')) === 'paid' }
  },

  'MIT-034a': async world => {
    const ask = withSession(world, { user_id: ANN, version: 1 })
    const before = await ask('GET', '/me')
    await world.http('POST', `/users/${ANN}/role`, { user: ROOT, body: { role: 'manager' } })
    const changed = (await field(world, 'users', ANN, 'role')) === 'manager'
    const nobody = await withSession(world, {})('GET', '/me')
    return { attack: isOk(await ask('GET', '/me')) || isOk(nobody), use: isOk(before) && changed }
  },

  'MIT-037a': async world => {
    const get = (id, user = ANN) => world.http('GET', `/files/${id}`, { user })
    const put = name => world.http('POST', `/files?name=${encodeURIComponent(name)}`, { user: ANN, text: 'new' })
    const own = await get(1)
    const made = await put('report.txt')
    const back = await get(made.body?.id)
    await put('../outside.txt').catch(() => undefined)
    const isOutside = await access(join(world.folder, '..', 'outside.txt')).then(
      () => true,
      () => false,
    )
    const isOverwritten = (await put('key-b'), (await get(2, BOB)).text !== 'content of key-b')
    return {
      attack: isOk(await get(2)) || isOutside || isOverwritten,
      use: own.text === 'content of key-a' && isOk(made) && back.text === 'new',
    }
  },

  'MIT-038a': async world => {
    const impersonate = (id, user) => world.http('POST', `/impersonate/${id}`, { user })
    const upwards = [await impersonate(MIA, ANN), await impersonate(ROOT, SAM), await impersonate(BOB, SAM)]
    const { status, session } = await impersonate(ANN, SAM)
    const acting = withSession(world, session)
    const profile = await acting('GET', '/profile')
    await acting('POST', '/email', { body: { email: 'sam@example.com' } })
    const written = (await field(world, 'users', ANN, 'email')) === 'sam@example.com'
    const late = await withSession(world, { ...session, until: 1 })('GET', '/profile')
    return {
      attack: upwards.some(isOk) || written || isOk(late),
      use: isOk({ status }) && profile.body?.name === 'ann',
    }
  },

  'MIT-039a': async world => {
    const keys = [
      [ANN, 'reader', 'invoices:read'],
      [ANN, 'writer', 'invoices:read invoices:write'],
      [ANN, 'old', 'invoices:read', 1],
      [BOB, 'bob', 'invoices:read'],
    ]
    for (const [at, [user, text, scopes, until = now() + 3600]] of keys.entries()) {
      const values = `${at + 1}, ${user}, '${digest(text)}', '${scopes}', ${until}`
      await world.sql(`INSERT INTO api_keys (id, user_id, digest, scopes, expires_at) VALUES (${values})`)
    }
    await world.sql(`UPDATE users SET is_active = FALSE WHERE id = ${BOB}`)
    const as = (text, method, path) => world.http(method, path, { headers: text ? { 'X-API-Key': text } : {} })
    await as('reader', 'POST', '/invoices/1/pay')
    const written = (await field(world, 'invoices', 1, 'status')) === 'paid'
    const list = await as('reader', 'GET', '/invoices')
    const refused = [
      await as('old', 'GET', '/invoices'),
      await as('bob', 'GET', '/invoices'),
      await as('', 'GET', '/invoices'),
    ]
    await as('writer', 'POST', '/invoices/2/pay')
    const foreign = (await field(world, 'invoices', 2, 'status')) === 'paid'
    await as('writer', 'POST', '/invoices/1/pay')
    return {
      attack: written || foreign || refused.some(isOk),
      use: list.body?.map(({ id }) => id).join() === '1' && (await field(world, 'invoices', 1, 'status')) === 'paid',
    }
  },

  'MIT-041a': async world => {
    const forgot = email => world.http('POST', '/password/forgot', { body: { email } })
    const reset = (token, password, email = 'ann@example.com') =>
      world.http('POST', '/password/reset', { body: { token, password, email } })
    const hashOf = id => field(world, 'users', id, 'password_hash')
    await forgot('ann@example.com')
    const unknown = await forgot('nobody@example.com')
    const [[, token] = []] = await world.mail()
    const kept = JSON.stringify(await world.sql('SELECT * FROM reset_tokens'))
    await reset(token, 'one', 'bob@example.com')
    const stolen = (await hashOf(BOB)) !== 'hash of bob'
    const first = await hashOf(ANN)
    await reset(token, 'two')
    const reused = (await hashOf(ANN)) !== first
    await forgot('ann@example.com')
    const [, last] = (await world.mail()).at(-1)
    await world.sql('UPDATE reset_tokens SET expires_at = 1')
    const late = isOk(await reset(last, 'three'))
    const isPlain = [first, await hashOf(ANN)].some(hash => ['one', 'two', 'three'].includes(hash))
    return {
      attack: stolen || reused || late || isPlain || kept.includes(token),
      use: isOk(unknown) && (stolen || first !== 'hash of ann'),
    }
  },

  'MIT-043a': async world => {
    const callback = (claims, state = 's1') =>
      world.http('GET', `/auth/callback?state=${state}&code=${encodeURIComponent(JSON.stringify(claims))}`, {
        session: { state: 's1' },
      })
    const ann = { iss: 'https://idp.example', sub: 'ann-1', email: 'ann@example.com' }
    const own = await callback(ann)
    const claimed = await callback({ iss: 'https://other.example', sub: 'x', email: 'ann@example.com' })
    const fresh = await callback({ iss: 'https://idp.example', sub: 'new-1', email: 'new@example.com' })
    return {
      attack: claimed.body?.user_id === ANN || isOk(await callback(ann, 'guess')),
      use: own.body?.user_id === ANN && isOk(fresh) && fresh.body.user_id !== ANN,
    }
  },
}
