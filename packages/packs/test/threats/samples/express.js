// A stand-in for Express: routes in their order, routers, middleware, case-blind paths; as much as the samples use.

const layer = (method, path, handlers) => ({ method, path, handlers })

function router() {
  const layers = []
  const handle = (req, res, done) => {
    const queue = layers.flatMap(({ method, path, handlers }) => handlers.map(handler => ({ method, path, handler })))
    const next = error => {
      const step = queue.shift()
      const found = step && match(step, req)
      if (error || !step) done(error)
      else if (found) step.handler({ ...req, path: found.rest, params: { ...req.params, ...found.params } }, res, next)
      else next()
    }
    next()
  }
  const verb =
    method =>
    (path, ...handlers) =>
      layers.push(layer(method, path, handlers))
  const use = (first, ...more) =>
    typeof first === 'string'
      ? layers.push(layer('USE', first, more))
      : layers.push(layer('USE', '/', [first, ...more]))
  return Object.assign(handle, { use, get: verb('GET'), patch: verb('PATCH'), delete: verb('DELETE') })
}

/** Express ignores case and a slash at the end; what is mounted sees the rest of the path. */
function match({ method, path }, req) {
  const prefix = path === '/' ? '' : path.replace(/:(\w+)/g, '(?<$1>[^/]+)')
  if (method === 'USE') {
    const found = new RegExp(`^${prefix}(?=/|$)`, 'i').exec(req.path)
    return found && { rest: req.path.slice(found[0].length) || '/', params: {} }
  }
  const found = method === req.method ? new RegExp(`^${prefix}/?$`, 'i').exec(req.path) : null
  return found && { rest: req.path, params: { ...found.groups } }
}

/** The module's default export. */
export const express = Object.assign(router, { Router: router, json: () => (_req, _res, next) => next() })

/** Sends a request to an application made with the stand-in. */
export function send(app, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    let code = 200
    const res = {
      locals: {},
      headersSent: false,
      status: value => Object.assign(res, { code: (code = value) }),
      json: value => {
        res.headersSent = true
        resolve({ status: code, body: value })
      },
      sendStatus: value => res.status(value).json(undefined),
    }
    app({ method, path, headers, body: body ?? {}, params: {} }, res, error =>
      error ? reject(error) : resolve({ status: 404 }),
    )
  })
}

/** Sends a request to an application made with Express itself. */
export async function sendReal(app, { method, path, headers, body }) {
  const server = app.listen(0, '127.0.0.1')
  try {
    await new Promise(resolve => server.once('listening', resolve))
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
