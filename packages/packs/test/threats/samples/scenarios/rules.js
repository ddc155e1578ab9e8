// Attacks on rules: races, caches, ranks, policies, prices, and on what walks a graph or acts for somebody.
import { ANN, BOB, MIA, ROOT, SAM } from '../rows.js'
import { exists, field, isOk } from './objects.js'

export const scenarios = {
  'MIT-027a': async world => {
    const projects = (field, options) => world.resolve({ field, user: ANN, ...options })
    const start = await projects('project', { kind: 'query', args: { id: 1 } })
    const hidden = await projects('project', { kind: 'query', args: { id: 2 } })
    const reached = await projects('projects', { kind: 'user_type', parent: BOB })
    return { attack: reached.includes(2) || hidden.length > 0, use: start.join() === '1' && reached.includes(3) }
  },

  'MIT-028a': async world => {
    const redeem = { method: 'POST', path: '/vouchers/A/redeem' }
    const first = await world.http(redeem.method, redeem.path, { user: ANN, race: { ...redeem, user: BOB } })
    const [second] = first.raced
    const third = await world.http(redeem.method, redeem.path, { user: MIA })
    return { attack: isOk(first) && isOk(second), use: (isOk(first) || isOk(second)) && !isOk(third) }
  },

  'MIT-029a': async world => {
    const total = async user => (await world.http('GET', '/reports/summary', { user })).body?.total
    const [first, again] = [await total(ANN), await total(ANN)]
    const foreign = await total(BOB)
    const nobody = await total(undefined)
    return { attack: foreign === first || nobody !== undefined, use: first === 400 && again === 400 && foreign > 0 }
  },

  'MIT-031a': async world => {
    const set = (id, role, user) => world.http('PUT', `/members/${id}/role`, { user, body: { role } })
    const roleOf = async id => (await world.sql(`SELECT role FROM memberships WHERE user_id = ${id}`))[0].role
    await set(ANN, 'owner', MIA)
    const raised = (await roleOf(ANN)) === 'owner'
    await set(MIA, 'owner', MIA)
    await set(ROOT, 'guest', MIA)
    await set(BOB, 'guest', MIA)
    const attack = raised || (await roleOf(MIA)) !== 'manager' || (await roleOf(ROOT)) !== 'owner'
    await set(ANN, 'guest', MIA)
    return { attack: attack || (await roleOf(BOB)) !== 'owner', use: (await roleOf(ANN)) === 'guest' }
  },

  'MIT-035a': async world => {
    const get = (id, user) => world.http('GET', `/invoices/${id}`, { user })
    return { attack: isOk(await get(2, BOB)) || isOk(await get(3, MIA)), use: (await get(1, ANN)).body?.total === 100 }
  },

  'MIT-036a': async world => {
    const run = (name, args) => world.http('POST', '/assistant/tools', { user: ANN, body: { name, arguments: args } })
    const stolen = await run('get_invoice', { invoice_id: 2, user_id: BOB })
    const own = await run('get_invoice', { invoice_id: 1 })
    return { attack: stolen.body?.total === 200, use: own.body?.total === 100 && !isOk(await run('drop_tables', {})) }
  },

  'MIT-040a': async world => {
    const remove = (id, user) => world.http('DELETE', `/admin/users/${id}`, { user })
    const stats = user => world.http('GET', '/admin/stats', { user })
    await remove(BOB, ANN)
    await remove(MIA, SAM)
    const isGone = !(await exists(world, 'users', MIA)) || !(await exists(world, 'users', BOB))
    const attack = isGone || isOk(await stats(ANN)) || isOk(await stats(undefined))
    const isShown = isOk(await stats(SAM))
    await remove(ANN, ROOT)
    return { attack, use: isShown && !(await exists(world, 'users', ANN)) }
  },

  'MIT-042a': async world => {
    const buy = item => world.http('POST', '/checkout', { user: ANN, body: { items: [{ product_id: 1, ...item }] } })
    const cheap = await buy({ quantity: 2, price: 1 })
    const negative = await buy({ quantity: -2 })
    return {
      attack: (isOk(cheap) && cheap.body.total !== 100) || isOk(negative),
      use: (await buy({ quantity: 2 })).body?.total === 100 && (await field(world, 'products', 1, 'price')) === 50,
    }
  },
}
