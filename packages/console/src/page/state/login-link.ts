import { authorization, endpoint } from './connection.ts'

/** The link with which the user of the console logs in to a server behind this one. */
export async function loginLink(server: string): Promise<string> {
  const body = new URLSearchParams({ server })
  const response = await fetch(endpoint('login'), { method: 'POST', headers: authorization(), body })
  const answer = (await response.json().catch(() => ({}))) as { url?: unknown }
  if (response.ok && typeof answer.url === 'string' && /^https?:/.test(answer.url)) return answer.url
  throw new Error('There is no page to log in on. Set --public-url, or log in with: causeway login')
}
