import { describe, expect, test } from 'vitest'
import { fetchJsonFor, secureUrl } from '../../src/oauth/fetch-json.ts'
import type { FetchJsonLimits } from '../../src/oauth/fetch-json.ts'
import { listening, serving } from './listening.ts'

const near = (limits?: FetchJsonLimits) => fetchJsonFor(new URL('http://127.0.0.1/mcp'), true, limits)

describe('a request for JSON', () => {
  test('is answered with status, headers and the parsed body', async () => {
    const origin = await listening(serving({ '/a': { is: 'a' } }))
    const fetchJson = near()
    expect(await fetchJson({ url: `${origin}/a` })).toMatchObject({ status: 200, body: { is: 'a' } })
    expect(await fetchJson({ url: `${origin}/b` })).toMatchObject({ status: 404, body: { error: 'not found' } })
  })

  test('sends forms and JSON', async () => {
    const seen: unknown[] = []
    const origin = await listening((request, response) => {
      let text = ''
      request.on('data', chunk => (text += String(chunk)))
      request.on('end', () => {
        seen.push([request.method, request.headers['content-type'], text])
        response.end('{}')
      })
    })
    const fetchJson = near()
    await fetchJson({ url: origin, body: new URLSearchParams({ a: '1 &' }) })
    await fetchJson({ url: origin, body: { a: 1 } })
    expect(seen).toEqual([
      ['POST', 'application/x-www-form-urlencoded', 'a=1+%26'],
      ['POST', 'application/json', '{"a":1}'],
    ])
  })

  test('a body that is not JSON is no body', async () => {
    const origin = await listening((_, response) => response.end('<html>'))
    expect(await near()({ url: origin })).toMatchObject({ status: 200, body: undefined })
  })

  test('a body without end is given up', async () => {
    const origin = await listening((_, response) => {
      const more = (): void => void (response.write('x'.repeat(4096)) && setImmediate(more))
      response.on('drain', more)
      more()
    })
    await expect(near({ maxBytes: 10_000 })({ url: origin })).rejects.toMatchObject({ code: 'too_large' })
  })

  test('a server that never answers is given up', async () => {
    const origin = await listening(() => {})
    await expect(near({ timeoutMs: 20 })({ url: origin })).rejects.toMatchObject({ code: 'timeout' })
    const aborted = AbortSignal.abort(new Error('enough'))
    await expect(near()({ url: origin, signal: aborted })).rejects.toMatchObject({ code: 'timeout' })
  })

  test('errors do not show the query', async () => {
    const wrong = near()({ url: 'http://127.0.0.1:1/token?code=secret' })
    await expect(wrong).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1\/token cannot be reached/)
    await expect(wrong).rejects.not.toThrow(/secret/)
  })
})

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('a GET is followed (%i), a POST is not', async status => {
    const posted: unknown[] = []
    const origin = await listening((request, response) => {
      if (request.url === '/there') posted.push(request.method)
      if (request.url === '/there') response.end('{"is":"there"}')
      else response.writeHead(status, { location: '/there' }).end()
    })
    expect(await near()({ url: `${origin}/here` })).toMatchObject({ body: { is: 'there' } })
    await expect(near()({ url: `${origin}/here`, body: { secret: 1 } })).rejects.toMatchObject({ code: 'redirected' })
    expect(posted).toEqual(['GET'])
  })

  test('a circle ends', async () => {
    const origin = await listening((_, response) => response.writeHead(302, { location: '/' }).end())
    await expect(near()({ url: origin })).rejects.toThrow(/redirects too often/)
  })

  test.each(['http://192.0.2.1/x', 'file:///etc/passwd', 'javascript:alert(1)', 'https://user:password@example.com/'])(
    'to %s is refused',
    async location => {
      for (const status of [302, 307]) {
        const origin = await listening((_, response) => response.writeHead(status, { location }).end())
        await expect(near()({ url: origin })).rejects.toMatchObject({ code: /^(?:in\w+_url)$/ })
      }
    },
  )
})

describe('private networks', () => {
  test('are out of reach where the server is public, or its operator did not name it', async () => {
    const origin = await listening(serving({ '/': {} }))
    const untrusted = fetchJsonFor(new URL(`${origin}/mcp`), false)
    await expect(untrusted({ url: `${origin}/` })).rejects.toThrow(/private address/)
    const far = fetchJsonFor(new URL('https://93.184.216.34/mcp'), true)
    for (const url of [origin, 'https://10.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/', 'https://localhost/'])
      await expect(far({ url })).rejects.toThrow(/private address/)
  })
})

test.each(['http://example.com/', 'javascript:alert(1)', 'ftp://localhost/', 'https://a:b@example.com/', 'no', 7])(
  '%s is not a place for secrets',
  url => expect(() => secureUrl(url, 'The address')).toThrow(/The address/),
)

test.each(['https://example.com/', 'http://localhost:1/', 'http://127.0.0.1/', 'http://[::1]:2/'])(
  '%s is a place for secrets',
  url => expect(secureUrl(url, 'The address').href).toBe(url),
)
