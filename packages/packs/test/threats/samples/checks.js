// How each TypeScript sample is attacked and used. Each check answers whether the attack and whether the use works.
import { createHmac } from 'node:crypto'

const requireLogin = (req, res, next) => {
  res.locals.user = { id: req.headers['x-user'] }
  if (res.locals.user.id === undefined) res.sendStatus(401)
  else next()
}
const requireAdmin = (req, res, next) => (req.headers['x-role'] === 'admin' ? next() : void res.sendStatus(403))

const auth = { requireLogin, requireAdmin }
const refused = run => {
  try {
    return run() === undefined
  } catch {
    return true
  }
}

// A stand-in for the package jsonwebtoken: the signature HS256, and the checks of algorithm, issuer and audience.
const part = value => Buffer.from(JSON.stringify(value)).toString('base64url')
const mark = (text, key) => createHmac('sha256', key).update(text).digest('base64url')
const token = (claims, key, alg = 'HS256') => {
  const text = `${part({ alg })}.${part({ iss: 'shop', aud: 'api', ...claims })}`
  return `${text}.${key === undefined ? '' : mark(text, key)}`
}
const jwt = {
  decode: text => JSON.parse(Buffer.from(text.split('.')[1], 'base64url').toString()),
  verify(text, key, { algorithms, issuer, audience }) {
    const [head, body, signature] = text.split('.')
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString())
    const claims = jwt.decode(text)
    const holds = algorithms.includes(alg) && signature === mark(`${head}.${body}`, key)
    if (!holds || claims.iss !== issuer || claims.aud !== audience) throw new Error('invalid token')
    return claims
  },
}

/** By the key of the sample: a check gets a function that runs it with modules, and one that sends it a request. */
export const checks = {
  'MIT-022a': async ({ run, send }) => {
    const { app } = await run({ './auth.ts': auth, './store.ts': { customers: ['ann'] } })
    const get = headers => send(app, { method: 'GET', path: '/customers', headers })
    return { attack: (await get({})).status === 200, use: (await get({ 'x-user': '1' })).body?.[0] === 'ann' }
  },

  'MIT-023a': async ({ run, send }) => {
    const accounts = new Map([
      ['1', {}],
      ['2', {}],
    ])
    const { app } = await run({ './auth.ts': auth, './store.ts': { accounts } })
    const remove = id => send(app, { method: 'DELETE', path: `/accounts/${id}`, headers: { 'x-user': '1' } })
    await remove('2')
    const attack = !accounts.has('2')
    return { attack, use: (await remove('1')).status === 200 && !accounts.has('1') }
  },

  'MIT-024a': async ({ run, send }) => {
    const shops = new Map([
      ['1', { owner: 'ann', title: 'a' }],
      ['2', { owner: 'bob', title: 'b' }],
    ])
    const { app } = await run({ './auth.ts': auth, './store.ts': { shops } })
    const patch = body => send(app, { method: 'PATCH', path: '/shops/1', headers: { 'x-user': 'ann' }, body })
    await patch({ id: '2', title: 'mine' })
    const attack = shops.get('2').title === 'mine'
    await patch({ title: 'new' })
    return { attack, use: shops.get('1').title === 'new' }
  },

  'MIT-025a': async ({ run }) => {
    const users = new Map([
      ['ann', { role: 'admin' }],
      ['bob', { role: 'member' }],
    ])
    const { requireAdmin: guard } = await run({ jsonwebtoken: { default: jwt }, './store.ts': { key: 'k', users } })
    const passes = text =>
      new Promise(resolve =>
        guard({ headers: { authorization: `Bearer ${text}` } }, { sendStatus: () => resolve(false) }, () =>
          resolve(true),
        ),
      )
    const forged = [
      token({ sub: 'ann', role: 'admin' }, 'other'),
      token({ sub: 'ann', role: 'admin' }, undefined, 'none'),
      token({ sub: 'bob', role: 'admin' }, 'k'),
      token({ sub: 'ann', role: 'admin', aud: 'elsewhere' }, 'k'),
    ]
    const got = await Promise.all(forged.map(passes))
    return { attack: got.some(Boolean), use: await passes(token({ sub: 'ann', role: 'admin' }, 'k')) }
  },

  'MIT-026a': async ({ run, send }) => {
    const { app } = await run({ './auth.ts': auth, './store.ts': { users: ['ann'] } })
    const get = (path, role) => send(app, { method: 'GET', path, headers: { 'x-role': role } })
    const opened = await Promise.all(['/ADMIN/users', '/Admin/users', '/admin/users/'].map(p => get(p, 'member')))
    const use =
      (await get('/admin/users', 'admin')).status === 200 && (await get('/admin/users', 'member')).status === 403
    return { attack: opened.some(({ status }) => status === 200), use }
  },

  'MIT-027a': async ({ run }) => {
    const projects = [
      { id: 1, clientId: 7, members: ['ann'] },
      { id: 2, clientId: 7, members: ['bob'] },
    ]
    const invoices = [
      { id: 1, projectId: 1, clientId: 7 },
      { id: 2, projectId: 2, clientId: 7 },
    ]
    const { resolvers } = await run({ './store.ts': { projects, invoices } })
    const context = { viewer: { id: 'ann' } }
    const start = resolvers.Query.project(null, { id: 1 }, context)
    const reached = resolvers.Project.invoices(start, {}, context).map(i => resolvers.Invoice.project(i, {}, context))
    const hidden = resolvers.Query.project(null, { id: 2 }, context)
    return { attack: reached.includes(projects[1]), use: reached.includes(projects[0]) && hidden === undefined }
  },

  'MIT-028a/2': async ({ run }) => {
    const { redeem } = await run({})
    const voucher = { used_by: null }
    const sql = async (text, [, user]) => {
      if (text.startsWith('SELECT')) return { rows: [{ ...voucher }], count: 1 }
      if (text.includes('IS NULL') && voucher.used_by !== null) return { rows: [], count: 0 }
      voucher.used_by = user
      return { rows: [], count: 1 }
    }
    const got = await Promise.all(['ann', 'bob'].map(user => redeem(sql, 'a', user)))
    return { attack: got.every(Boolean), use: got.some(Boolean) && !(await redeem(sql, 'a', 'cy')) }
  },

  'MIT-031a/2': async ({ run }) => {
    const { setRole } = await run({})
    const after = (granter, user, role) => {
      const members = new Map([
        ['ann', 'owner'],
        ['bob', 'manager'],
        ['cy', 'member'],
      ])
      refused(() => setRole(members, granter, user, role))
      return members.get(user)
    }
    const attack = after('bob', 'cy', 'owner') === 'owner' || after('bob', 'ann', 'guest') === 'guest'
    return {
      attack: attack || after('bob', 'bob', 'owner') === 'owner',
      use: after('bob', 'cy', 'guest') === 'guest' && after('cy', 'bob', 'guest') === 'manager',
    }
  },

  'MIT-035a': async ({ run }) => {
    const reported = []
    const ask = async user => {
      if (user === 'broken') throw new Error('timeout')
      return user === 'ann' ? 'allow' : user === 'bob' ? 'deny' : undefined
    }
    const { may } = await run({ './store.ts': { ask, report: error => reported.push(error) } })
    const attack = (await may('broken', 'read')) || (await may('stranger', 'read'))
    return { attack, use: (await may('ann', 'read')) && !(await may('bob', 'read')) && reported.length === 1 }
  },

  'MIT-036a': async ({ run }) => {
    const invoices = [
      { id: 1, owner: 'ann' },
      { id: 2, owner: 'bob' },
    ]
    const { toolsFor } = await run({ './store.ts': { invoices } })
    const { get_invoice: get } = toolsFor({ user: 'ann' })
    return { attack: get({ userId: 'bob', id: 2 }) === invoices[1], use: get({ userId: 'ann', id: 1 }) === invoices[0] }
  },

  'MIT-040a/2': async ({ run }) => {
    const { add, call } = await run({})
    const users = new Set(['ann', 'bob'])
    add('delete_user', 'users.delete', name => users.delete(name))
    refused(() => call(new Set(), 'delete_user', 'ann'))
    const attack = !users.has('ann')
    call(new Set(['users.delete']), 'delete_user', 'bob')
    return { attack, use: !users.has('bob') }
  },

  'MIT-042a/2': async ({ run }) => {
    const accounts = new Map([
      ['free', { plan: 'free', seats: 1 }],
      ['team', { plan: 'team', seats: 1 }],
    ])
    const plans = new Map([
      ['free', { seats: 1 }],
      ['team', { seats: 5 }],
    ])
    const { addSeat } = await run({ './store.ts': { accounts, plans } })
    return { attack: addSeat('free', { plan: 'team' }), use: addSeat('team', { plan: 'team' }) }
  },
}
