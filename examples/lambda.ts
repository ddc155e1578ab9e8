// AWS Lambda behind a function URL or an HTTP API (payload format 2.0).
import { fetchHandler } from '@causeway/engine/fetch'
import { server } from './weather.ts'

/** What Lambda hands over, as far as it is used here. */
export interface LambdaEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: {
    readonly domainName: string
    readonly http: { readonly method: string; readonly sourceIp: string }
  }
}

/** What Lambda wants back. */
export interface LambdaResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const mcp = fetchHandler(server, {
  allowedHosts: ['mcp.example.org'],
  // An answer is complete before it leaves: streams without an end are refused.
  routes: ['/mcp', '/sse'].map(path => ({
    method: 'GET',
    path,
    handle: exchange => exchange.reply(405, undefined, { Allow: 'POST' }),
  })),
})

/** Answers one event. Instances share no sessions: clients of the newest revision need none, others need a shared `store`. */
export async function handler(event: LambdaEvent): Promise<LambdaResult> {
  const { http, domainName } = event.requestContext
  const url = `https://${domainName}${event.rawPath}${event.rawQueryString === '' ? '' : `?${event.rawQueryString}`}`
  const body = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64') : event.body
  const request = new Request(url, {
    method: http.method,
    headers: event.headers,
    ...(body !== undefined && http.method !== 'GET' && http.method !== 'HEAD' && { body }),
  })
  const response = await mcp(request, { address: http.sourceIp })
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}
