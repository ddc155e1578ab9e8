// Attacks on single objects and lists of them. Each answers whether the attack and whether the meant use works.
import { ANN, BOB, MIA, ROOT } from '../rows.js'

export const isOk = ({ status }) => status >= 200 && status < 300
export const field = async (world, table, id, name) =>
  (await world.sql(`SELECT * FROM ${table} WHERE id = ${id}`))[0]?.[name]
export const exists = async (world, table, id) =>
  (await world.sql(`SELECT id FROM ${table} WHERE id = ${id}`)).length > 0
const idsIn = ({ body }) => (Array.isArray(body) ? body.map(({ id }) => id) : [])

const ownInvoice = async world => {
  const get = (id, user) => world.http('GET', `/invoices/${id}`, { user })
  const own = await get(1, ANN)
  return {
    attack: isOk(await get(2, ANN)) || isOk(await get(1, undefined)),
    use: isOk(own) && own.body.total === 100 && !isOk(await get(99, ANN)),
  }
}

export const scenarios = {
  'MIT-001a': async world => {
    const archive = async (id, user, before = '') => {
      await world.http('POST', `/invoices/${id}/archive`, { user })
      if (before) await world.sql(before)
      await world.jobs()
      return (await field(world, 'invoices', id, 'status')) === 'archived'
    }
    const foreign = await archive(1, BOB)
    const use = await archive(3, MIA)
    const late = await archive(2, BOB, `UPDATE users SET is_active = FALSE WHERE id = ${BOB}`)
    return { attack: foreign || late, use }
  },

  'MIT-001b': async world => {
    const mailed = async (...args) => {
      await world.call('mail_invoice', args).catch(() => undefined)
      return (await world.mail()).length
    }
    const own = await mailed(1, 1, 'ann@example.com')
    return { attack: (await mailed(2, 1, 'ann@example.com')) > own, use: own === 1 }
  },

  'MIT-001c': async world => {
    const message = await world.call('pack', [{ user: ANN }])
    const forged = JSON.stringify({ ...JSON.parse(message), body: JSON.stringify({ user: ROOT }) })
    const opened = await world.call('unpack', [forged]).catch(() => undefined)
    return { attack: opened?.user === ROOT, use: (await world.call('unpack', [message])).user === ANN }
  },

  'MIT-002a': async world => {
    const list = await world.http('GET', '/invoices', { user: ANN })
    const { attack, use } = await ownInvoice(world)
    return { attack: attack || idsIn(list).includes(2), use: use && idsIn(list).join() === '1' }
  },

  'MIT-002b': async world => {
    const list = query => world.http('GET', `/invoices${query}`, { user: ANN })
    return {
      attack: idsIn(await list(`?owner_id=${BOB}`)).includes(2),
      use: idsIn(await list('?status=open')).join() === '1' && idsIn(await list('?status=paid')).length === 0,
    }
  },

  'MIT-002c': async world => {
    const found = await world.call('routes_open_to', [])
    return { attack: found.join() !== '/open/<int:id>', use: Array.isArray(found) }
  },

  'MIT-003a': async world => {
    const show = id => world.http('GET', `/documents/${id}`, { user: ANN })
    const restore = (id, user) => world.http('POST', `/documents/${id}/restore`, { user })
    const seen = isOk(await show(3))
    await restore(3, ANN)
    const revived = (await field(world, 'documents', 3, 'deleted_at')) === null
    await restore(3, MIA)
    return { attack: seen || revived, use: isOk(await show(1)) && isOk(await show(3)) && !isOk(await show(2)) }
  },

  'MIT-003b': async world => {
    const patch = (id, body) => world.http('PATCH', `/documents/${id}`, { user: ANN, body })
    await patch(3, { title: 'new', deleted_at: null })
    const attack = (await field(world, 'documents', 3, 'deleted_at')) === null
    await patch(1, { title: 'new' })
    return { attack, use: (await field(world, 'documents', 1, 'title')) === 'new' }
  },

  'MIT-003c': async world => {
    await world.sql("INSERT INTO api_keys (id, user_id, digest) VALUES (1, 1, 'x')")
    await world.http('POST', `/users/${ANN}/deactivate`, { user: ROOT })
    const inactive = await field(world, 'users', ANN, 'is_active')
    return { attack: await exists(world, 'api_keys', 1), use: !inactive }
  },

  'MIT-004a': async world => {
    const get = path => world.http('GET', path, { user: ANN })
    const listed = idsIn(await get('/projects?org_id=2'))
    return {
      attack: listed.includes(2) || isOk(await get('/projects/2')) || isOk(await get('/projects/2?org_id=2')),
      use: idsIn(await get('/projects')).join() === '1,3' && isOk(await get('/projects/1')),
    }
  },

  'MIT-004b': async world => {
    const { said, refused } = await world.call('transaction', [])
    return { attack: said !== '1', use: refused }
  },

  'MIT-004c': async world => {
    const { own, foreign } = await world.call('references', [])
    return { attack: foreign, use: own }
  },

  'MIT-005a': async world => {
    const remove = (id, user) => world.http('DELETE', `/projects/${id}`, { user })
    await remove(3, BOB)
    await remove(1, ANN)
    const attack = !(await exists(world, 'projects', 3)) || !(await exists(world, 'projects', 1))
    await remove(1, ROOT)
    return { attack, use: !(await exists(world, 'projects', 1)) }
  },

  'MIT-005b': async world => {
    const isMember = (user, org) => world.call('is_member', [user, { org_id: org }])
    return { attack: await isMember(BOB, 1), use: await isMember(ANN, 1) }
  },

  'MIT-005c': async world => {
    const leave = (org, user) => world.call('leave', [org, user]).catch(() => undefined)
    await leave(1, ANN)
    const orphaned = (await field(world, 'projects', 1, 'owner_id')) === ANN
    await leave(2, BOB)
    return {
      attack: orphaned || !(await exists(world, 'memberships', 4)),
      use: !(await exists(world, 'memberships', 1)),
    }
  },

  'MIT-007a': ownInvoice,
  'MIT-013a': ownInvoice,

  'MIT-010a': async world => {
    const get = (project, comment) => world.http('GET', `/projects/${project}/comments/${comment}`, { user: ANN })
    return { attack: isOk(await get(1, 2)) || isOk(await get(2, 2)), use: (await get(1, 1)).body?.text === 'hello' }
  },

  'MIT-012a': async world => {
    const remove = ids => world.http('POST', '/documents/delete', { user: ANN, body: { ids } })
    await remove([1, 2])
    const attack = !(await exists(world, 'documents', 2))
    const refused = await remove(Array.from({ length: 101 }, (_, at) => at + 1000))
    await remove([5])
    return { attack, use: !(await exists(world, 'documents', 5)) && !isOk(refused) }
  },

  'MIT-017a': async world => {
    const get = path => world.http('GET', path, { user: ANN })
    const made = await world.http('POST', '/documents', {
      user: ANN,
      body: { title: 'new', owner: BOB, owner_id: BOB },
    })
    const owners = await world.sql("SELECT owner_id FROM documents WHERE title = 'new'")
    const listed = idsIn(await get('/documents'))
    return {
      attack: listed.includes(2) || isOk(await get('/documents/2')) || owners[0]?.owner_id === BOB,
      use: isOk(made) && owners.length === 1 && isOk(await get('/documents/1')) && listed.includes(1),
    }
  },

  'MIT-018a': async world => {
    const patch = id => world.http('PATCH', `/documents/${id}`, { user: ANN, body: { title: 'new' } })
    await patch(2)
    const attack = (await field(world, 'documents', 2, 'title')) === 'new'
    await patch(1)
    return { attack, use: (await field(world, 'documents', 1, 'title')) === 'new' }
  },

  'MIT-024a': async world => {
    const patch = body => world.http('PATCH', '/projects/1', { user: ANN, body })
    await patch({ id: 2, name: 'mine' })
    const attack = (await field(world, 'projects', 2, 'name')) === 'mine'
    await patch({ name: 'new' })
    return { attack, use: (await field(world, 'projects', 1, 'name')) === 'new' }
  },

  'MIT-033a': async world => {
    const { body } = await world.http('GET', '/search?q=first', { user: ANN })
    const all = await world.http('GET', '/search?q=%25', { user: ANN })
    const rows = all.body?.hits.length ?? 0
    return {
      attack: body?.total !== 1 || idsIn({ body: body.hits }).includes(2) || rows > 0,
      use: idsIn({ body: body?.hits }).includes(1),
    }
  },
}
