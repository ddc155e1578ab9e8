import { expect, test } from 'vitest'
import { fetchDocument, openApiSource } from '../../src/entries/openapi.ts'
import { clientOf, resultOf, startApi, textOf } from './api.ts'

const at = (url: string): object => ({
  openapi: '3.1.0',
  servers: [{ url, variables: { region: { default: 'eu' } } }],
  paths: { '/a': { get: { operationId: 'a', responses: {} } } },
})

test('the address is that of the document, or what the operator says', () => {
  expect(openApiSource(at('https://{region}.example/v1/')).address).toBe('https://eu.example/v1/')
  expect(openApiSource(at('/v2'), { from: 'https://a.example/docs/openapi.json' }).address).toBe('https://a.example/v2')
  expect(openApiSource(at('https://a.example'), { base: 'http://127.0.0.1:1/x' }).address).toBe('http://127.0.0.1:1/x')
})

test.each([
  ['/v1', {}, 'The document does not say where the API is'],
  ['http://169.254.169.254/latest', {}, 'sends calls to the private address 169.254.169.254'],
  ['http://localhost:9', {}, 'name the address of the API with --openapi-base http://localhost:9/ (option `base`)'],
  ['http://[::ffff:10.0.0.1]/', {}, 'private address'],
  [
    'https://b.example',
    { from: 'https://a.example/doc' },
    'came from https://a.example and sends calls to another host',
  ],
  ['file:///etc', {}, 'must begin with https:// or http://'],
  ['https://me:secret@a.example', {}, 'contains a password'],
  ['http://a.example', { credentials: { bearer: 't' } }, 'Credentials would be sent unencrypted to http://a.example'],
])('an address that nobody should call is refused: %s', (url, options, words) => {
  expect(() => openApiSource(at(url), options)).toThrow(words)
})

test.each([301, 302, 307, 308])('a redirect to another host is not followed: %i', async status => {
  const other = await startApi()
  const { base } = await startApi((_, response) =>
    response.writeHead(status, { location: `${other.base}/secret?x=1` }).end(),
  )
  const { client } = clientOf({ base, credentials: { bearer: 'token-1' } })
  expect(textOf(await resultOf(client, 'listPets'))).toContain('The API redirects to another host, http://127.0.0.1:')
  expect(other.got).toEqual([])
})

test('a redirect within the API is followed for what only reads, a few times', async () => {
  const { base, got } = await startApi(({ url }, response) => {
    const location = url.endsWith('/pets') ? '/v1/new' : url
    if (url.endsWith('/new')) response.setHeader('content-type', 'application/json').end('{}')
    else response.writeHead(302, { location }).end()
  })
  const { client } = clientOf({ base, credentials: { bearer: 'token-1' } })
  expect(await client.call('listPets')).toEqual({})
  expect(got.map(({ url, headers: { authorization } }) => [url, authorization])).toEqual([
    ['/v1/pets', 'Bearer token-1'],
    ['/v1/new', 'Bearer token-1'],
  ])
  expect(textOf(await resultOf(client, 'pets_show', { petId: '1' }))).toBe('The API redirects more than 3 times.')
  expect(textOf(await resultOf(client, 'createPet', { name: 'x' }))).toContain('redirects this POST request')
})

test('an API that cannot be reached is named', async () => {
  const { client } = clientOf({ base: 'http://127.0.0.1:1/v1' })
  expect(textOf(await resultOf(client, 'listPets'))).toContain('http://127.0.0.1:1 cannot be reached: ')
})

test('a document is fetched from where the operator says', async () => {
  const { base } = await startApi(({ url }, response) => {
    if (url === '/v1/doc') response.end('{}')
    else response.writeHead(url === '/v1/moved' ? 302 : 404, { location: 'https://evil.example/doc' }).end()
  })
  expect(await fetchDocument(`${base}/doc`)).toBe('{}')
  await expect(fetchDocument(`${base}/none`)).rejects.toThrow('/v1/none answered 404')
  await expect(fetchDocument(`${base}/moved`)).rejects.toThrow('redirects to another host, https://evil.example/doc')
})
