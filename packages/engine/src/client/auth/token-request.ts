import { OAuthError, shownUrl } from '../../oauth/fetch-json.ts'
import type { FetchJson, JsonResponse } from '../../oauth/fetch-json.ts'
import { isObject } from '../../support/is-object.ts'
import type { DpopProver } from './dpop.ts'

/** What a client adds to a token request to prove who it is. */
export interface ClientProof {
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
}

/** One request at a token endpoint. */
export interface TokenRequest {
  readonly endpoint: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly proof: ClientProof
  readonly dpop?: DpopProver | undefined
  readonly fetchJson: FetchJson
}

/** What a token endpoint gave. */
export interface TokenAnswer {
  readonly accessToken: string
  readonly tokenType: string
  readonly issuedTokenType: string | undefined
  readonly refreshToken: string | undefined
  /** In milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /** Undefined if they are those that were asked for. */
  readonly scopes: readonly string[] | undefined
}

const TOKEN = /^[\x21-\x7e]{1,16384}$/
const LONGEST_LIFE_S = 10 * 365 * 86_400

/** Ask for a token; once more where the server wants a nonce in the proof. */
export async function requestToken(request: TokenRequest): Promise<TokenAnswer> {
  const first = await send(request)
  const wantsNonce = request.dpop?.learnNonce(new URL(request.endpoint), first.headers) && isRefusal(first)
  return answerIn(wantsNonce && errorIn(first) === 'use_dpop_nonce' ? await send(request) : first, request.endpoint)
}

async function send({ endpoint, params, proof, dpop, fetchJson }: TokenRequest): Promise<JsonResponse> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...params, ...proof.params }))
    if (value !== undefined && value !== '') body.set(name, value)
  const headers = { ...proof.headers, ...(dpop && { dpop: await dpop.proof('POST', new URL(endpoint)) }) }
  return fetchJson({ url: endpoint, body, headers })
}

const isRefusal = ({ status }: JsonResponse): boolean => status < 200 || status > 299

const errorIn = ({ body }: JsonResponse): unknown => (isObject(body) ? body.error : undefined)

function answerIn(response: JsonResponse, endpoint: string): TokenAnswer {
  const { body, status } = response
  const fields = isObject(body) ? body : {}
  const { access_token, token_type } = fields
  // Some servers answer errors with status 200.
  if (isRefusal(response) || (access_token === undefined && fields.error !== undefined))
    throw refusalOf(response, endpoint)
  if (typeof access_token === 'string' && TOKEN.test(access_token) && typeof token_type === 'string')
    return { accessToken: access_token, tokenType: token_type.toLowerCase(), ...detailsIn(fields) }
  throw new OAuthError('invalid_response', `${shownUrl(endpoint)} answered with status ${status}, but without a token`)
}

function detailsIn(fields: Record<string, unknown>): Omit<TokenAnswer, 'accessToken' | 'tokenType'> {
  const { issued_token_type, refresh_token, scope } = fields
  const seconds = Number(fields.expires_in ?? NaN)
  return {
    issuedTokenType: typeof issued_token_type === 'string' ? issued_token_type : undefined,
    refreshToken: typeof refresh_token === 'string' && TOKEN.test(refresh_token) ? refresh_token : undefined,
    expiresAt: seconds >= 0 ? Date.now() + Math.min(seconds, LONGEST_LIFE_S) * 1000 : undefined,
    scopes: typeof scope === 'string' ? scope.split(' ').filter(name => name !== '') : undefined,
  }
}

function refusalOf(response: JsonResponse, endpoint: string): OAuthError {
  const code = errorIn(response)
  return new OAuthError(
    typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : 'token_request_failed',
    `${shownUrl(endpoint)} refused the token request: ${saidIn(response)}`,
  )
}

/** What an error response says, as far as it may be shown. */
export function saidIn({ body, status }: JsonResponse): string {
  const { error, error_description } = isObject(body) ? body : {}
  const said = [error, error_description].filter(part => typeof part === 'string').map(printable)
  return said.length > 0 ? said.join(': ') : `HTTP status ${status}`
}

/** What others wrote, as far as it may be shown. */
export const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
