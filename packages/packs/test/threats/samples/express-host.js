// Runs samples in Express itself, on a real port and a real database.
import { once } from 'node:events'
import { createServer } from 'node:http'
import sqlite from '@sqlite.org/sqlite-wasm'
import express from 'express'
import * as jose from 'jose'
import { transformSync } from 'rolldown/utils'
import * as ws from 'ws'

const { oo1 } = await sqlite()

/** Tables and their columns, as python/schema.py has them. */
const TABLES = {
  users: 'name, email, role, org_id INT, is_active INT, password_hash, version INT',
  memberships: 'user_id INT, org_id INT, role',
  projects: 'org_id INT, owner_id INT, name',
  comments: 'project_id INT, author_id INT, text',
  invoices: 'owner_id INT, org_id INT, total INT, status, note',
  documents: 'owner_id INT, org_id INT, title, status, deleted_at INT',
  vouchers: 'code, used_by INT',
  files: 'owner_id INT, name, key',
  api_keys: 'user_id INT, digest, scopes, expires_at INT',
  reset_tokens: 'user_id INT, digest, expires_at INT',
  shares: 'document_id INT, digest, expires_at INT',
  identities: 'user_id INT, issuer, subject',
  products: 'name, price INT',
}

/** A database that is asked as `pg` is: `$1` in the text, rows and their number in the answer. */
function database(rows) {
  const file = new oo1.DB(':memory:')
  for (const [name, columns] of Object.entries(TABLES))
    file.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${columns})`)
  const run = (sql, bind) => file.exec({ sql, bind, rowMode: 'object', returnValue: 'resultRows' })
  for (const [table, list] of Object.entries(rows)) {
    for (const row of list) {
      const marks = Object.keys(row).map(() => '?')
      run(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`,
        Object.values(row).map(plain),
      )
    }
  }
  // What a request at the same moment would do is done just before the first row is changed.
  const race = { run: undefined }
  const query = async (sql, values = []) => {
    const { run: rival } = race
    if (rival && sql.startsWith('UPDATE')) {
      race.run = undefined
      await rival()
    }
    const expanded = sql.replace(/= ANY\(\$(\d+)\)/g, (_, at) => `IN (SELECT value FROM json_each($${at}))`)
    const used = values.map((value, at) => [`$${at + 1}`, Array.isArray(value) ? JSON.stringify(value) : plain(value)])
    const found = run(expanded, used.length > 0 ? Object.fromEntries(used) : undefined)
    return { rows: found, rowCount: /^\s*SELECT|RETURNING/i.test(sql) ? found.length : file.changes() }
  }
  return { query, run, race, close: () => file.close() }
}

const plain = value => (typeof value === 'boolean' ? Number(value) : (value ?? null))

/** Stands in for a queue: jobs wait until they are run, and only what JSON can carry travels with them. */
function queueOf() {
  const jobs = []
  const workers = new Map()
  return {
    add: async (name, data) => void jobs.push([name, JSON.stringify(data)]),
    process: (name, run) => workers.set(name, run),
    async drain() {
      for (const [name, data] of jobs.splice(0))
        await workers
          .get(name)({ data: JSON.parse(data) })
          .catch(() => {})
    },
  }
}

function cacheOf() {
  const values = new Map()
  return { get: async key => values.get(key), set: async (key, value) => void values.set(key, value) }
}

/** Knows user 1, has no answer for user 3 and breaks for everybody else. */
async function ask(user) {
  if (user !== 1 && user !== 3) throw new Error('the policy service does not answer')
  return user === 1 ? 'allow' : undefined
}

function projectOf({ db, folder, outbox, queue }) {
  const requireLogin = (_req, res, next) => (res.locals.user ? next() : void res.sendStatus(401))
  const requireRole = role => (_req, res, next) =>
    res.locals.user?.role === role ? next() : void res.sendStatus(res.locals.user ? 403 : 401)
  const userOf = async req => (await db.query('SELECT * FROM users WHERE id = $1', [req.headers['x-user']])).rows[0]
  const startSession = async (req, id) => void Object.assign(req.session, { user_id: id })
  return {
    express: { default: express },
    jose,
    ws,
    './auth.ts': { requireLogin, requireRole, userOf, startSession },
    './db.ts': { db },
    './queue.ts': { queue },
    './cache.ts': { cache: cacheOf() },
    './policy.ts': { policy: { check: ask } },
    './mail.ts': { sendMail: async (address, text) => void outbox.push([address, text]) },
    './security.ts': { hashPassword: async text => `hash:${[...text].toReversed().join('')}` },
    './sso.ts': { exchange: async code => JSON.parse(code) },
    './settings.ts': {
      JWT_KEY: new TextEncoder().encode('k'.repeat(32)),
      WEBHOOK_SECRET: 'secret',
      UPLOADS: folder,
      ORIGINS: new Set(['https://chat.example']),
    },
  }
}

/** A world for samples in TypeScript. */
export async function loadExpress(code, { rows, folder }) {
  const db = database(rows)
  const [queue, outbox, state] = [queueOf(), [], {}]
  const names = await link(code, projectOf({ db: { query: db.query }, folder, outbox, queue }))
  const app = express()
  app.use((req, res, next) => {
    req.session = state.session = JSON.parse(req.headers['x-session'] ?? '{}')
    res.locals.user = db.run('SELECT * FROM users WHERE id = ?', [req.headers['x-user'] ?? 0])[0]
    next()
  })
  if (names.router) app.use(names.router)
  app.use((error, _req, res, _next) => void (res.headersSent ? res.destroy() : res.sendStatus(error.status ?? 500)))
  const server = createServer(app)
  names.attach?.(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = `127.0.0.1:${server.address().port}`
  const http = (method, path, options = {}) => send(at, state, { method, path, ...options })
  return {
    async http(method, path, { race, ...options } = {}) {
      const raced = []
      if (race) db.race.run = async () => raced.push(await http(race.method, race.path, race))
      return { ...(await http(method, path, options)), raced }
    },
    sql: async statement => structuredClone(db.run(statement)),
    jobs: () => queue.drain(),
    mail: async () => outbox,
    async resolve({ kind, field, user, args = {}, parent }) {
      const find = id => db.run(`SELECT * FROM users WHERE id = ${id}`)[0]
      const type = kind === 'query' ? 'Query' : 'User'
      const found = await names.resolvers[type][field](parent && find(parent), args, { user: find(user) })
      return [found].flat().flatMap(row => row?.id ?? [])
    },
    socket: (path, options) => converse(`ws://${at}${path}`, db, options),
    async end() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      db.close()
    },
  }
}

async function send(at, state, { method, path, user, body, text, headers, session }) {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await fetch(`http://${at}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(user && { 'x-user': String(user) }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(session && { 'x-session': JSON.stringify(session) }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  })
  const said = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  return { status: answer.status, body: isJson ? JSON.parse(said) : null, text: said, session: state.session }
}

/** Sends messages to a room, one after the answer to the other; an entry with `sql` changes a table in between. */
async function converse(url, db, { messages, headers, user }) {
  const socket = new ws.WebSocket(url, { headers: { ...headers, ...(user && { 'x-user': String(user) }) } })
  const closed = new Promise(resolve => socket.once('close', () => resolve(undefined)))
  socket.on('error', () => {})
  const opened = await Promise.race([
    once(socket, 'open').then(
      () => true,
      () => false,
    ),
    closed,
  ])
  const sent = []
  for (const message of opened ? messages : []) {
    if (message.sql) db.run(message.sql)
    else {
      const answer = new Promise(resolve => socket.once('message', data => resolve(Buffer.from(data).toString())))
      if (socket.readyState === ws.WebSocket.OPEN) socket.send(message)
      const said = await Promise.race([answer, closed])
      if (said === undefined) break
      sent.push(said)
    }
  }
  socket.terminate()
  return { accepted: opened === true, sent }
}

let loaded = 0

/** Runs a sample with the modules it imports made from plain objects. */
async function link(code, modules) {
  const world = `sample${++loaded}`
  globalThis[world] = modules
  const { code: script, errors } = transformSync('sample.ts', code)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '))
  const linked = script.replace(/from\s*["']([^"']+)["']/g, (_, name) =>
    name.startsWith('node:') ? `from "${name}"` : `from ${JSON.stringify(moduleOf(world, name))}`,
  )
  return import(asUrl(linked))
}

function moduleOf(world, name) {
  const source = globalThis[world][name]
  if (!source) throw new Error(`a sample imports '${name}', which no project here has`)
  const lines = Object.keys(source).map(key => {
    const value = `globalThis.${world}[${JSON.stringify(name)}].${key}`
    return key === 'default' ? `export default ${value}` : `export const ${key} = ${value}`
  })
  return asUrl(lines.join('\n'))
}

const asUrl = source => `data:text/javascript,${encodeURIComponent(source)}`
