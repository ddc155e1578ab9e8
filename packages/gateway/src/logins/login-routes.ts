import { createHash } from 'node:crypto'
import { OAuthError } from '@causeway/engine/client'
import { within } from '@causeway/engine/internal'
import type { Exchange, Route } from '@causeway/engine/http'
import { withoutAddresses } from '../upstream/causes.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { GatewayLogins, LoginDoor } from './gateway-logins.ts'
import { PAGE_HEADERS, htmlOf } from './login-page.ts'
import type { LoginPage } from './login-page.ts'
import { beginProof, finishProof, issuerOf, whoseToken } from './issuer-proof.ts'
import type { ProofToken } from './issuer-proof.ts'
import { slimLogin } from './login-seal.ts'
import type { BegunLogin, LoginTicket } from './login-seal.ts'
import { LOCAL_PRINCIPAL, loginName, principalOf } from './principals.ts'

const LONGEST_FORM = 32 * 1024
const LONGEST_COOKIE = 4000
const PROVE_MS = 10_000
const COOKIE_SECONDS = 600
const ANSWERED = ['code', 'state', 'iss', 'error', 'error_description'] as const

type Found = NonNullable<Awaited<ReturnType<GatewayLogins['ticketIn']>>>

/** The pages with which people log in to servers behind the gateway, and the way to a link for a client program. */
export function loginRoutes(logins: GatewayLogins, door: LoginDoor): Route[] {
  logins.open(door)
  const page = (handle: (exchange: Exchange) => Promise<void>) => (exchange: Exchange) =>
    handle(exchange).catch((error: unknown) => reply(exchange, failed(error)))
  return [
    { method: 'GET', path: '/login/callback', public: true, handle: page(exchange => finish(logins, door, exchange)) },
    { method: 'GET', path: '/login/*', public: true, handle: page(exchange => show(logins, door, exchange)) },
    { method: 'POST', path: '/login/*', public: true, handle: page(exchange => prove(logins, door, exchange)) },
    { method: 'POST', path: '/login', handle: exchange => giveLink(logins, exchange) },
  ]
}

/** The link for the principal that asks, such as the user of the console. */
async function giveLink(logins: GatewayLogins, exchange: Exchange): Promise<void> {
  const form = new URLSearchParams(await exchange.readBody(LONGEST_FORM))
  const upstream = logins.find(form.get('server') ?? '')
  const asker = { caller: { principal: exchange.principal }, link: { address: exchange.address } }
  const principal = principalOf(asker, logins.isLocal())
  const url = upstream && principal !== undefined ? await logins.linkFor(principal, upstream) : undefined
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  if (url === undefined) return exchange.reply(404, '{"error":"There is no login for that server."}', headers)
  exchange.reply(200, JSON.stringify({ url }), headers)
}

/** The page of a link: the one user of this machine goes straight on, others prove that they asked. */
async function show(logins: GatewayLogins, door: LoginDoor, exchange: Exchange): Promise<void> {
  const found = await ticketOf(logins, exchange)
  if (!found) return reply(exchange, OVER)
  const { principal } = found.ticket
  if (principal === LOCAL_PRINCIPAL && logins.isLocal()) return begin(logins, exchange, found, true)
  reply(exchange, proofPage(found.ticket, door))
}

/** Only who has the token of the principal that asked may go on. */
async function prove(logins: GatewayLogins, door: LoginDoor, exchange: Exchange): Promise<void> {
  const found = await ticketOf(logins, exchange)
  if (!found) return reply(exchange, OVER)
  if (!isOwnForm(exchange, door)) return reply(exchange, FOREIGN)
  const { ticket } = found
  const form = new URLSearchParams(await exchange.readBody(LONGEST_FORM))
  const issuer = form.get('at') === 'issuer' ? issuerOf(ticket.principal, door) : undefined
  if (issuer !== undefined)
    return goOn(logins, exchange, { ticket, pending: await beginProof(logins, door, issuer), isProof: true })
  const shown = { token: form.get('token')?.trim() ?? '', dpopKey: undefined }
  const proved = await principalWith(shown, door, exchange, ticket.view)
  if (proved !== ticket.principal) return reply(exchange, proofPage(ticket, door, true))
  await begin(logins, exchange, found, false)
}

/** A page of another site must not send someone on to a login that is not theirs. */
function isOwnForm(exchange: Exchange, door: LoginDoor): boolean {
  const [origin, site] = [exchange.header('origin'), exchange.header('sec-fetch-site')]
  const base = door.url()
  const isOwn = origin === undefined || (base !== undefined && origin === new URL(base).origin)
  return isOwn && (site === undefined || site === 'same-origin')
}

/** Whose token it is. Each endpoint is a resource of its own, and the token of the client may be for any of them. */
async function principalWith(
  shown: ProofToken,
  { authenticator, url }: LoginDoor,
  { address, tlsPeer }: Exchange,
  view?: string,
): Promise<string | undefined> {
  if (shown.token === '' || !authenticator) return undefined
  const paths = ['/mcp', ...(view === undefined ? [] : [`/mcp/${encodeURIComponent(view)}`]), '/ws', '/sse', '/rpc']
  for (const path of paths) {
    const resource = `${url() ?? ''}${path}`
    const asked = { method: 'POST', path, url: resource, resource, address, tlsPeer }
    const found = await within(whoseToken(shown, authenticator, asked), PROVE_MS, () => undefined)
    if (found && 'name' in found && (found.expiresAt ?? Infinity) > Date.now()) return loginName(found.name)
  }
  return undefined
}

/** Send the browser to the authorization server; a cookie binds the way back to it. */
async function begin(logins: GatewayLogins, exchange: Exchange, found: Found, isAtOnce: boolean): Promise<void> {
  const { ticket, upstream } = found
  if (!upstream.login || !(await logins.use(ticket))) return reply(exchange, OVER)
  const redirectUri = logins.redirectUri()
  const pending = await upstream.login
    .of(ticket.principal)
    .beginLogin(redirectUri)
    .catch(async (error: unknown) => {
      await logins.failed(ticket.principal, upstream)
      throw error
    })
  await goOn(logins, exchange, { ticket, pending }, isAtOnce)
}

async function goOn(logins: GatewayLogins, exchange: Exchange, begun: BegunLogin, isAtOnce = false): Promise<void> {
  const { state, url, redirectUri } = begun.pending
  const cookie = await logins.seal.seal('cookie', { ...begun, pending: slimLogin(begun.pending) })
  if (cookie.length > LONGEST_COOKIE)
    throw new OAuthError('too_long', 'The authorization server describes itself at too great length')
  const headers = { 'Set-Cookie': cookieOf(state, cookie, redirectUri, COOKIE_SECONDS) }
  if (isAtOnce) return exchange.reply(303, '', { ...PAGE_HEADERS, ...headers, Location: url })
  const next = { url, label: `Continue at ${new URL(url).host}` }
  reply(exchange, { status: 200, title: `Log in to ${begun.ticket.server}`, lines: [], next }, headers)
}

/** The browser comes back with a code. */
async function finish(logins: GatewayLogins, door: LoginDoor, exchange: Exchange): Promise<void> {
  const state = exchange.query('state') ?? ''
  const text = cookieIn(exchange.header('cookie'), cookieName(state))
  const begun = text === undefined ? undefined : await logins.seal.open('cookie', text)
  const upstream = begun && loginOf(logins, begun.ticket)
  if (!begun || !upstream?.login) return reply(exchange, ELSEWHERE)
  const { pending, ticket } = begun
  const back = new URL(pending.redirectUri)
  for (const name of ANSWERED) {
    const value = exchange.query(name)
    if (value !== undefined) back.searchParams.set(name, value)
  }
  if (begun.isProof) {
    const token = await finishProof(logins, door, pending, back.href)
    const isSame = (await principalWith(token, door, exchange)) === ticket.principal
    return isSame ? begin(logins, exchange, { ticket, upstream }, false) : reply(exchange, STRANGER)
  }
  const gone = { 'Set-Cookie': cookieOf(state, '', pending.redirectUri, 0) }
  try {
    await upstream.login.of(ticket.principal).finishLogin(pending, back.href)
  } catch (error) {
    await logins.failed(ticket.principal, upstream)
    return reply(exchange, failed(error), gone)
  }
  await logins.loggedIn(ticket.principal, upstream)
  const lines = ['The call that asked for it goes on by itself. You can close this window.']
  reply(exchange, { status: 200, title: `You are logged in to ${upstream.name}`, lines }, gone)
}

const loginOf = (logins: GatewayLogins, { server, url }: LoginTicket): Upstream | undefined => {
  const upstream = logins.find(server)
  return upstream?.login?.url === url ? upstream : undefined
}

const ticketOf = (logins: GatewayLogins, { path }: Exchange): Promise<Found | undefined> =>
  logins.ticketIn(path.slice('/login/'.length))

const cookieName = (state: string): string =>
  `causeway-login-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`

function cookieOf(state: string, value: string, redirectUri: string, seconds: number): string {
  const { pathname, protocol } = new URL(redirectUri)
  const path = pathname.replace(/\/callback$/, '')
  const parts = [`${cookieName(state)}=${value}`, `Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
  return [...parts, ...(protocol === 'https:' ? ['Secure'] : [])].join('; ')
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '').split(';').find(part => part.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}

const reply = (exchange: Exchange, page: LoginPage, headers: Readonly<Record<string, string>> = {}): void =>
  exchange.reply(page.status, htmlOf(page), { ...PAGE_HEADERS, ...headers })

function proofPage({ server, principal }: LoginTicket, door: LoginDoor, isWrong = false): LoginPage {
  const issuer = issuerOf(principal, door)
  // A token that is bound to the client's key is of no use to anyone else.
  const wantsToken = issuer === undefined || door.authenticator?.dpop !== 'require'
  return {
    status: isWrong ? 403 : 200,
    title: `Log in to ${server}`,
    lines: [
      `A client of ${principal} asked for this login. Continue only if it was yours.`,
      wantsToken
        ? 'To show that, enter the token that the client uses for this gateway.'
        : 'To show that, log in where the client got its token.',
      ...(isWrong ? ['This is not a token of who asked.'] : []),
    ],
    wantsToken,
    issuer,
  }
}

const STRANGER: LoginPage = {
  status: 403,
  title: 'Someone else asked for this login',
  lines: ['You are logged in as another person than the one whose client asked.'],
}
const OVER: LoginPage = {
  status: 410,
  title: 'This link is over',
  lines: ['It was used before, has expired, or belongs to another gateway. Call the tool again for another one.'],
}
const FOREIGN: LoginPage = {
  status: 403,
  title: 'This form is not ours',
  lines: ['It was sent from a page of another site. Open the link yourself.'],
}
const ELSEWHERE: LoginPage = {
  status: 400,
  title: 'This login was not begun here',
  lines: ['It was begun in another browser, or too long ago. Call the tool again for another link.'],
}

const failed = (error: unknown): LoginPage => ({
  status: 502,
  title: 'The login failed',
  lines: [
    error instanceof OAuthError ? withoutAddresses(error.message.slice(0, 500)) : 'Something went wrong.',
    'Call the tool again for another link.',
  ],
})
