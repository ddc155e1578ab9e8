import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as hono from './hono.ts'
import { handler } from './lambda.ts'
import type { LambdaEvent } from './lambda.ts'
import * as route from './next-route.ts'
import worker from './worker.ts'

/** The official client, whose requests are answered by a function. */
async function use<T>(
  url: string,
  answer: (request: Request) => Promise<Response>,
  act: (client: Client) => Promise<T>,
) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const fetch = (input: string | URL, init?: RequestInit) => answer(new Request(input, init))
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }))
  try {
    return await act(client)
  } finally {
    await client.close()
  }
}

const forecast = async (client: Client): Promise<unknown> =>
  (await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })).structuredContent

test('Hono without a listener serves it too', async () => {
  const answer = async (request: Request): Promise<Response> => hono.app.fetch(request)
  expect(await use('http://localhost/ai/mcp', answer, forecast)).toEqual({ celsius: 21 })
})

test('Hono on Node serves it below its prefix, and the rest of the app', async () => {
  const http = hono.listen(0)
  onTestFinished(async () => {
    await hono.mcp.drain()
    http.close()
  })
  if (!http.address()) await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  expect(await use(`${url}/ai/mcp`, fetch, forecast)).toEqual({ celsius: 21 })
  expect(await (await fetch(url)).text()).toBe('the rest of the app')
  expect((await fetch(`${url}/nothing`)).status).toBe(404)
})

test('a route of Next.js serves it', async () => {
  const methods: Record<string, (request: Request) => Promise<Response>> = { ...route } as never
  const answer = async (request: Request): Promise<Response> =>
    (await methods[request.method]?.(request)) ?? new Response(null, { status: 405 })
  expect(await use('https://app.example.org/mcp', answer, forecast)).toEqual({ celsius: 21 })
})

test('a Worker serves it, and no other host', async () => {
  const roll = async (client: Client): Promise<unknown> =>
    (await client.callTool({ name: 'roll_dice', arguments: { dice: 3 } })).content
  const said = await use('https://dice.example.workers.dev/mcp', request => worker.fetch(request), roll)
  expect(said).toMatchObject([{ type: 'text', text: expect.stringMatching(/^[1-6] [1-6] [1-6]$/) }])
  expect((await worker.fetch(new Request('https://evil.example.com/mcp'))).status).toBe(403)
})

describe('a Lambda', () => {
  const eventOf = async (request: Request, isBase64Encoded: boolean): Promise<LambdaEvent> => {
    const { pathname, search, host } = new URL(request.url)
    const text = await request.text()
    return {
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: { ...Object.fromEntries(request.headers), host },
      ...(text !== '' && { body: isBase64Encoded ? btoa(text) : text }),
      isBase64Encoded,
      requestContext: { domainName: host, http: { method: request.method, sourceIp: '192.0.2.1' } },
    }
  }

  test.each([true, false])('serves it, with a body in base64: %s', async isEncoded => {
    const answer = async (request: Request): Promise<Response> => {
      const { statusCode, headers, body } = await handler(await eventOf(request, isEncoded))
      return new Response(body === '' ? null : body, { status: statusCode, headers })
    }
    expect(await use('https://mcp.example.org/mcp', answer, forecast)).toEqual({ celsius: 21 })
  })

  test('refuses a stream without an end', async () => {
    const event = await eventOf(new Request('https://mcp.example.org/sse'), false)
    expect(await handler(event)).toMatchObject({ statusCode: 405 })
  })
})
