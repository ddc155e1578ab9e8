import { isObject } from '@causeway/engine/internal'

/** What a server says about the login that it requires. */
export interface Login {
  /** The scheme of the challenge, such as Bearer. */
  readonly scheme: string
  readonly scopes: readonly string[]
  /** Where tokens come from, if the server says so. */
  readonly authorizationServers: readonly string[]
  readonly metadata?: string
}

const PATIENCE_MS = 10_000
const LARGEST = 100_000

/** Ask a server that refused us how to log in. Nothing is sent that is secret, and nothing is asked of other hosts. */
export async function loginOf(url: URL): Promise<Login | undefined> {
  const challenge = await challengeOf(url)
  if (challenge === undefined) return undefined
  const parameter = (name: string): string | undefined =>
    new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1] ?? undefined
  const named = parameter('resource_metadata')
  const metadata = named ?? new URL('/.well-known/oauth-protected-resource', url).href
  const found = sameOrigin(metadata, url) ? await jsonAt(metadata) : undefined
  const strings = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter(one => typeof one === 'string').slice(0, 20) : []
  return {
    scheme: challenge.split(' ', 1)[0] ?? '',
    scopes: parameter('scope')?.split(' ') ?? strings(found?.scopes_supported),
    authorizationServers: strings(found?.authorization_servers),
    ...((named !== undefined || found) && { metadata }),
  }
}

const sameOrigin = (text: string, url: URL): boolean => URL.canParse(text) && new URL(text).origin === url.origin

async function challengeOf(url: URL): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).catch(
    () => undefined,
  )
  await response?.body?.cancel()
  return response?.headers.get('www-authenticate')?.slice(0, LARGEST) ?? undefined
}

async function jsonAt(url: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) })
    if (!response.ok || !response.body) return undefined
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > LARGEST) return undefined
      chunks.push(chunk)
    }
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
