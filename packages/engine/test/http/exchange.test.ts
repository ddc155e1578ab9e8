import { createServer, tool } from '@causeway/engine'
import { bearerTokens, newToken } from '@causeway/engine/http'
import type { Events, Exchange, HttpHandlerOptions } from '@causeway/engine/http'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/transports/http/exchange.ts'
import { createFrontend } from '../../src/transports/http/handler.ts'
import { call, enveloped, hello, mirrors, tell } from '../support/http-client.ts'
import { JSON_HEADERS } from '../support/http-exchange.ts'

/** `(Request) => Promise<Response>` over a front, in the few lines that such an adapter takes. */
function fetching(options: HttpHandlerOptions = {}): (request: Request) => Promise<Response> {
  const server = createServer({ name: 's', version: '1', log: false }).add(
    tool({ name: 'greet' }, () => 'hello'),
    tool({ name: 'slow' }, (_, ctx) => {
      ctx.progress(1, 'half')
      return 'done'
    }),
  )
  const front = createFrontend(server, options)
  return request =>
    new Promise(resolve => front.serve(exchangeOf(request, front.pathOf(new URL(request.url).pathname), resolve)))
}

function exchangeOf(request: Request, path: string, answer: (response: Response) => void): Exchange {
  const own = new Headers()
  const headersOf = (more: Readonly<Record<string, string>> = {}): Headers => {
    const all = new Headers(own)
    for (const [name, value] of Object.entries(more)) all.set(name, value)
    return all
  }
  return {
    method: request.method,
    path,
    address: 'local',
    tlsPeer: undefined,
    principal: undefined,
    answering: undefined,
    header: name => request.headers.get(name) ?? undefined,
    query: name => new URL(request.url).searchParams.get(name) ?? undefined,
    readBody: async limit => {
      const text = await request.text()
      if (text.length > limit) throw new Refusal(413, `Request too large: at most ${limit} bytes are accepted`, -32600)
      return text
    },
    setHeader: (name, value) => own.set(name, value),
    reply: (status, body, headers) => answer(new Response(body || null, { status, headers: headersOf(headers) })),
    openEvents: headers => events(stream => answer(new Response(stream, { headers: headersOf(headers) }))),
    onHangUp: listener => request.signal.addEventListener('abort', listener),
    release: () => {},
  }
}

function events(answer: (stream: ReadableStream) => void): Events {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  let isOpen = true
  answer(readable)
  return {
    get open() {
      return isOpen
    },
    write: text => void writer.write(new TextEncoder().encode(text)),
    end: () => {
      isOpen = false
      void writer.close()
    },
    onClose: listener => void writer.closed.then(listener, listener),
  }
}

const post = (body: unknown, headers: Record<string, string> = {}, path = '/mcp'): Request =>
  new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { host: 'localhost', ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const stateless = (name: string): Request => {
  const asked = call(1, name)
  const { params } = asked as { params: Record<string, unknown> }
  const message = { ...asked, params: enveloped(params) }
  return post(message, mirrors(message))
}

describe('the front serves whatever is an exchange', () => {
  test('a stateless request', async () => {
    const answer = await fetching()(stateless('greet'))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ text: 'hello' }] } })
  })

  test('a session, with events before the answer', async () => {
    const serve = fetching()
    const begun = await serve(post(hello()))
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
    expect(await begun.json()).toMatchObject({ result: { serverInfo: { name: 's' } } })
    expect((await serve(post(tell('notifications/initialized'), session))).status).toBe(202)
    const answer = await serve(post(call(2, 'slow', {}, { progressToken: 'p' }), session))
    expect(answer.headers.get('mcp-session-id')).toBe(session['mcp-session-id'])
    const text = await answer.text()
    expect(text).toContain('"method":"notifications/progress"')
    expect(text).toContain('"text":"done"')
    expect((await serve(post(call(3, 'greet'), { 'mcp-session-id': 'unknown' }))).status).toBe(404)
  })

  test('and refuses: 401, 404, 413, 400', async () => {
    const { token, line } = newToken('ada')
    const guarded = fetching({ authenticator: bearerTokens(line), maxBody: 2000 })
    const nobody = await guarded(post(hello()))
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const authorization = `Bearer ${token}`
    expect((await guarded(post(hello(), { authorization }, '/nowhere'))).status).toBe(404)
    const large = await guarded(post('x'.repeat(3000), { authorization }))
    expect([large.status, await large.json()]).toMatchObject([413, { error: { code: -32600 } }])
    expect((await guarded(post('{', { authorization }))).status).toBe(400)
    expect((await guarded(post(hello(), { authorization, origin: 'https://evil.example' }))).status).toBe(403)
  })
})
