import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { METHODS, openApiSource } from '../../src/entries/openapi.ts'
import type { OpenApiOptions, OpenApiSource } from '../../src/entries/openapi.ts'
import { createServer } from '../../src/server.ts'
import { connect } from '../../src/testing/index.ts'
import type { Client } from '../../src/testing/index.ts'
import { PETSTORE } from './petstore.ts'

/** A request as an API got it. */
export interface Got {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answering = (got: Got, response: ServerResponse) => void

const ok: Answering = (_, response) => {
  response.setHeader('content-type', 'application/json').end('{"ok":true}')
}

/** An API on this machine that keeps what it got. */
export async function startApi(answer: Answering = ok): Promise<{ readonly base: string; readonly got: Got[] }> {
  const got: Got[] = []
  const http = createHttpServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(pieces).toString() }
      got.push(one)
      answer(one, response)
    })
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { base: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, got }
}

/** A client of a server that serves a document; every method, if nothing else is said. */
export function clientOf(
  options: OpenApiOptions,
  document: string | object = PETSTORE,
): { readonly client: Client; readonly source: OpenApiSource } {
  const source = openApiSource(document, { methods: METHODS, ...options })
  const server = createServer({ name: 'api', version: '1', log: false })
  server.mount(source)
  return { client: connect(server), source }
}

/** A result as it is: blocks, structured content, error or not. */
export const resultOf = async (client: Client, name: string, args: object = {}): Promise<Record<string, unknown>> =>
  client.request('tools/call', { name, arguments: args })

/** The text of the blocks of a result. */
export const textOf = (result: Record<string, unknown>): string =>
  (result.content as { text?: string }[]).map(({ text = '' }) => text).join('\n')
