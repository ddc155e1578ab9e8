// Attacks on functions that only some may call, and on what is written or shown by them.
import { ANN, BOB, MIA, ROOT, SAM } from '../rows.js'
import { createHmac } from 'node:crypto'
import { exists, field, isOk } from './objects.js'

const part = value => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token for the shop's API, valid for an hour unless the claims say otherwise. */
function token(claims, key = 'k'.repeat(32), alg = 'HS256') {
  const exp = Math.floor(Date.now() / 1000) + 3600
  const text = `${part({ alg, typ: 'JWT' })}.${part({ iss: 'shop', aud: 'api', exp, ...claims })}`
  return `${text}.${alg === 'none' ? '' : createHmac('sha256', key).update(text).digest('base64url')}`
}

const profileUpdate = path => async world => {
  const patch = body => world.http('PATCH', path, { user: ANN, body })
  await patch({ name: 'ann', role: 'admin', org_id: 2 })
  const attack = (await field(world, 'users', ANN, 'role')) === 'admin'
  await patch({ name: 'anna' })
  return { attack, use: (await field(world, 'users', ANN, 'name')) === 'anna' }
}

const removingUsers = async world => {
  const remove = (id, user) => world.http('DELETE', `/admin/users/${id}`, { user })
  await remove(SAM, ANN)
  const attack = !(await exists(world, 'users', SAM))
  await remove(MIA, ROOT)
  return { attack, use: !(await exists(world, 'users', MIA)) }
}

export const scenarios = {
  'MIT-006a': profileUpdate('/me'),
  'MIT-019a': profileUpdate('/profile'),

  'MIT-008a': async world => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE' }
    await world.http('POST', '/documents/1/delete', { user: ANN, headers })
    await world.http('POST', '/documents/1', { user: ANN, headers, body: { _method: 'delete' } })
    await world.http('DELETE', '/documents/1', { user: ANN })
    const attack = !(await exists(world, 'documents', 1))
    await world.http('POST', '/documents/4/delete', { user: MIA })
    return { attack, use: !(await exists(world, 'documents', 4)) }
  },

  'MIT-009a': async world => {
    const set = (id, status, user) => world.http('POST', `/documents/${id}/status`, { user, body: { status } })
    const status = id => field(world, 'documents', id, 'status')
    await set(1, 'approved', ANN)
    await set(5, 'approved', ANN)
    await set(4, 'approved', MIA)
    const attack = (await Promise.all([1, 5, 4].map(status))).includes('approved')
    await set(1, 'submitted', ANN)
    await set(5, 'approved', MIA)
    return { attack, use: (await status(1)) === 'submitted' && (await status(5)) === 'approved' }
  },

  'MIT-011a': async world => {
    const refund = (id, user) => world.http('POST', `/invoices/${id}/refund`, { user })
    const me = await world.http('GET', '/me', { user: ANN })
    await refund(1, ANN)
    const attack = (await field(world, 'invoices', 1, 'status')) === 'refunded'
    await refund(3, ROOT)
    const use = (await field(world, 'invoices', 3, 'status')) === 'refunded'
    return { attack, use: use && me.body.show_refund_button === false }
  },

  'MIT-014a': removingUsers,

  'MIT-015a': async world => {
    const { body, text } = await world.http('GET', `/users/${MIA}`, { user: ANN })
    const stranger = await world.http('GET', `/users/${BOB}`, { user: ANN })
    return { attack: text.includes('hash of') || text.includes('@'), use: body?.name === 'mia' && !isOk(stranger) }
  },

  'MIT-020a': async world => {
    const get = user => world.http('GET', '/payroll', { user })
    return { attack: isOk(await get(ANN)) || isOk(await get(undefined)), use: isOk(await get(MIA)) }
  },

  'MIT-021a': async world => {
    if (world.framework === 'django') {
      const offered = user => world.actions('InvoiceAdmin', user)
      return { attack: (await offered(SAM)).includes('close'), use: (await offered(ROOT)).includes('close') }
    }
    const close = (ids, user) => world.http('POST', '/admin/invoices/actions', { user, body: { action: 'close', ids } })
    await close([1], SAM)
    const attack = (await field(world, 'invoices', 1, 'status')) === 'closed'
    await close([2, 3], ROOT)
    const isLeftAlone = (await field(world, 'invoices', 2, 'status')) === 'open'
    return { attack, use: isLeftAlone && (await field(world, 'invoices', 3, 'status')) === 'closed' }
  },

  'MIT-022a': async world => {
    const get = user => world.http('GET', '/products', { user })
    return { attack: isOk(await get(undefined)), use: (await get(ANN)).body?.includes('pen') }
  },

  'MIT-023a': async world => {
    const remove = id => world.http('DELETE', `/documents/${id}`, { user: ANN })
    await remove(2)
    const isRemoved = isOk(await remove(1)) && !(await exists(world, 'documents', 1))
    return { attack: !(await exists(world, 'documents', 2)), use: isRemoved }
  },

  'MIT-025a': async world => {
    const passes = async text =>
      isOk(await world.http('GET', '/admin/report', { headers: { Authorization: `Bearer ${text}` } }))
    const forged = [
      token({ sub: String(ROOT) }, 'x'.repeat(32)),
      token({ sub: String(ROOT) }, undefined, 'none'),
      token({ sub: String(ANN), role: 'admin' }),
      token({ sub: String(ROOT), aud: 'elsewhere' }),
      token({ sub: String(ROOT), exp: 1 }),
    ]
    const attack = []
    for (const text of forged) attack.push(await passes(text))
    return { attack: attack.some(Boolean), use: await passes(token({ sub: String(ROOT) })) }
  },

  'MIT-026a': async world => {
    const get = (path, user) => world.http('GET', path, { user })
    const spellings = ['/admin/reports/q1', '/ADMIN/reports/q1', '/admin/reports/public', '/admin/reports/q1/']
    const opened = []
    for (const path of spellings) opened.push(isOk(await get(path, ANN)))
    return { attack: opened.some(Boolean), use: (await get('/admin/reports/q1', ROOT)).body?.report === 'q1' }
  },
}
