import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The origin of an HTTP server that lives as long as the test. */
export async function listening(listener: RequestListener): Promise<string> {
  const http = createServer(listener)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    http.closeAllConnections()
    await new Promise(resolve => http.close(resolve))
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** Answers paths with values; anything else is 404. */
export const serving =
  (answers: Readonly<Record<string, unknown>>): RequestListener =>
  (request, response) => {
    const answer = answers[request.url ?? '']
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: 'not found' }))
  }
