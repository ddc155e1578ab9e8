import { expect, test } from 'vitest'
import { clientOf, resultOf, startApi, textOf } from './api.ts'

test('arguments go where the document says', async () => {
  const { base, got } = await startApi()
  const { client } = clientOf({ base })
  const args = { limit: 5, tags: ['a b', 'c,d'], 'X-Trace': 'on' }
  expect(await client.call('listPets', args)).toEqual({ ok: true })
  expect(got[0]).toMatchObject({
    method: 'GET',
    url: '/v1/pets?limit=5&tags=a+b%2Cc%2Cd',
    headers: { 'x-trace': 'on' },
  })
  await client.call('createPet', { name: 'Rex', tag: null })
  expect(got[1]).toMatchObject({ method: 'POST', url: '/v1/pets', headers: { 'content-type': 'application/json' } })
  expect(JSON.parse(got[1]?.body ?? '')).toEqual({ name: 'Rex', tag: null })
  await client.call('updatePet', { petId: 'a/b ü', name: 'query', body_name: 'body' })
  expect(got[2]).toMatchObject({ method: 'PUT', url: '/v1/pets/a%2Fb%20%C3%BC?name=query', body: '{"name":"body"}' })
})

test('forms are written as servers read them, files from base64', async () => {
  const { base, got } = await startApi()
  const { client } = clientOf({ base })
  await client.call('order', { items: [{ id: 1 }, { id: 2 }], note: 'a&b' })
  expect(got[0]?.body).toBe('items%5B0%5D%5Bid%5D=1&items%5B1%5D%5Bid%5D=2&note=a%26b')
  expect(got[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  await client.call('upload', { petId: '1', title: 'me', file: Buffer.from('picture').toString('base64') })
  const [, boundary = ''] = /boundary=(.+)$/.exec(got[1]?.headers['content-type'] ?? '') ?? []
  expect(got[1]?.body.split(`--${boundary}`).map(part => part.trim().split('\r\n\r\n')[1])).toEqual([
    undefined,
    'me',
    'picture',
    undefined,
  ])
})

test.each(['.', '..', '../admin', 'a/../..', String.raw`..\..`, '%2e%2e', 'x%2f..', ''])(
  'a path argument does not lead elsewhere: %j',
  async petId => {
    const { base, got } = await startApi()
    const { client } = clientOf({ base })
    expect(textOf(await resultOf(client, 'pets_show', { petId }))).toContain("Parameter 'petId' is part of the path")
    expect(got).toEqual([])
  },
)

test('a header argument cannot end the header', async () => {
  const { base, got } = await startApi()
  const { client } = clientOf({ base })
  const result = await resultOf(client, 'listPets', { 'X-Trace': 'a\r\nauthorization: x' })
  expect(textOf(result)).toBe("Parameter 'X-Trace' is a header and must not contain line breaks or other controls.")
  expect(got).toEqual([])
})

test('credentials go where the document says, and only there', async () => {
  const { base, got } = await startApi()
  const { client } = clientOf({ base, credentials: { bearer: 'token-1', key: 'key 1' } })
  await client.call('listPets')
  await client.call('photo', { petId: '1' })
  await client.call('order', { note: 'x' })
  expect(got.map(({ url, headers: { authorization } }) => [url, authorization])).toEqual([
    ['/v1/pets', 'Bearer token-1'],
    ['/v1/pets/1/photo', undefined],
    ['/v1/orders?api_key=key+1', undefined],
  ])
})

test('a document without schemes gets the token with every call', async () => {
  const { base, got } = await startApi()
  const document = { openapi: '3.1.0', paths: { '/a': { get: { operationId: 'a', responses: {} } } } }
  await clientOf({ base, credentials: { basic: 'me:secret' } }, document).client.call('a')
  expect(got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`)
})

const WITH_CLIENT = (tokenUrl: string): object => ({
  openapi: '3.1.0',
  components: {
    securitySchemes: { oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } } },
  },
  security: [{ oauth: [] }],
  paths: { '/a': { get: { operationId: 'a', responses: {} } } },
})

test('client credentials become a token, which is kept and renewed when it is refused', async () => {
  let issued = 0
  const { base, got } = await startApi(({ url, headers }, response) => {
    response.setHeader('content-type', 'application/json')
    const isToken = url === '/v1/token'
    if (headers.authorization === 'Bearer t1' && got.length > 3) response.statusCode = 401
    response.end(isToken ? JSON.stringify({ access_token: `t${++issued}`, expires_in: 3600 }) : '{}')
  })
  const { client } = clientOf(
    { base, credentials: { client: { id: 'id', secret: 's&x' } } },
    WITH_CLIENT(`${base}/token`),
  )
  await client.call('a')
  await client.call('a')
  expect(textOf(await resultOf(client, 'a'))).toContain('The API requires a login')
  await client.call('a')
  expect(got.map(({ url }) => url)).toEqual(['/v1/token', '/v1/a', '/v1/a', '/v1/a', '/v1/token', '/v1/a'])
  expect(got[0]).toMatchObject({ method: 'POST', body: 'grant_type=client_credentials' })
  expect(got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('id:s%26x').toString('base64')}`)
})

test('the client secret goes to no host that only the document names', async () => {
  const { base } = await startApi()
  const document = WITH_CLIENT('https://evil.example/token')
  const { client } = clientOf({ base, credentials: { client: { id: 'id', secret: 'hush' } } }, document)
  const words = textOf(await resultOf(client, 'a'))
  expect(words).toContain('The document names a token endpoint at another host, evil.example')
  expect(words).not.toContain('hush')
  expect(words).toContain('set OPENAPI_TOKEN_URL=https://evil.example/token')
})

test('errors say what to do', async () => {
  const { base } = await startApi(({ url }, response) => {
    const status = Number(new URL(url, 'http://x').searchParams.get('page'))
    if (status === 429) response.setHeader('retry-after', '7')
    response.statusCode = status
    response.setHeader('content-type', status === 500 ? 'text/html' : 'application/problem+json')
    response.end(status === 500 ? '<html><script>x()</script><h1>Oops</h1></html>' : '{"detail":"No such thing"}')
  })
  const { client } = clientOf({ base })
  const words = async (page: number): Promise<string> => textOf(await resultOf(client, 'listPets', { page }))
  expect(await words(404)).toBe(
    'GET /pets failed: 404 Not Found. There is nothing with these arguments: check ids and names.\nNo such thing',
  )
  expect(await words(401)).toContain('the operator of this server has to set OPENAPI_BEARER')
  expect(await words(429)).toContain('wait before the next one (Retry-After: 7).')
  expect(await words(500)).toBe(
    'GET /pets failed: 500 Internal Server Error. The API itself has a problem: retry later.\nOops',
  )
  expect(await resultOf(client, 'listPets', { page: 422 })).toMatchObject({ isError: true })
})

test.each([
  ['a link', { link: '<https://x/v1/pets?limit=2&page=3>; rel="next", <https://x>; rel="last"' }, {}, 'page="3"'],
  ['a cursor', {}, { metadata: { continue: '' }, next_page: 4 }, 'page=4'],
  ['an address', {}, { next: '/v1/pets?page=9' }, 'page="9"'],
])('what comes next is told in words: %s', async (_, headers, body, words) => {
  const { base } = await startApi((__, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  const result = await resultOf(clientOf({ base }).client, 'listPets')
  expect(textOf(result)).toContain(`There is more. Call this tool again with the same arguments and ${words}.`)
  expect(result.structuredContent).toEqual(body)
})

test('answers are what they are: pictures, text, bytes, nothing', async () => {
  let type: string | undefined = 'image/png'
  const { base } = await startApi((_, response) => {
    if (type === undefined) response.writeHead(204).end()
    else response.setHeader('content-type', type).end(Buffer.from([0x89, 0x50, 0xff]))
  })
  const { client } = clientOf({ base })
  const photo = async (): Promise<unknown> =>
    ((await resultOf(client, 'photo', { petId: '1' })).content as unknown[])[0]
  expect(await photo()).toMatchObject({ type: 'image', mimeType: 'image/png', data: 'iVD/' })
  type = 'application/zip'
  expect(await photo()).toMatchObject({ type: 'resource', resource: { mimeType: 'application/zip', blob: 'iVD/' } })
  type = 'text/plain'
  expect(await photo()).toMatchObject({ type: 'text' })
  type = undefined
  expect(await photo()).toMatchObject({ text: '204 No Content, with no content.' })
})

test('a large answer is refused', async () => {
  const { base } = await startApi((_, response) => response.end('x'.repeat(100_000)))
  const { client } = clientOf({ base, maxBytes: 1000 })
  expect(textOf(await resultOf(client, 'listPets'))).toContain('larger than 1000 bytes. Ask for less')
})

test('a call that is cancelled ends its request', async () => {
  const stop = new AbortController()
  let closed = (): void => {}
  const isClosed = new Promise<void>(resolve => (closed = resolve))
  const { base } = await startApi((_, response) => {
    response.on('close', closed)
    stop.abort(new Error('enough'))
  })
  const call = clientOf({ base }).client.call('listPets', {}, undefined, { signal: stop.signal })
  await expect(call).rejects.toThrow('enough')
  await isClosed
})

test('an API that does not answer is given up', async () => {
  const { base } = await startApi(() => {})
  const { client } = clientOf({ base, timeoutMs: 50 })
  expect(textOf(await resultOf(client, 'listPets'))).toBe('The API did not answer within 0.05 s.')
})
