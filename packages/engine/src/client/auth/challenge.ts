import type { ResponseHeaders } from '../transports/http-client.ts'

/** One challenge of a `WWW-Authenticate` header. */
export interface AuthChallenge {
  /** Its scheme in lower case, such as `bearer` or `dpop`. */
  readonly scheme: string
  /** Its parameters, by their lower-case names. */
  readonly params: Readonly<Record<string, string>>
}

const LONGEST = 8192
const PARAM = /([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y
const SCHEME = /([!#$%&'*+.^_`|~\w-]+)(?:\s+|$|(?=,))/y
const GAP = /[\s,]+/y

/** The challenges in a response; what cannot be read is left out. */
export function challengesIn(headers: ResponseHeaders): readonly AuthChallenge[] {
  const value = headers['www-authenticate']
  const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, LONGEST)
  const challenges: { scheme: string; params: Record<string, string> }[] = []
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    const param = match(PARAM, text, at)
    const scheme = param ? undefined : match(SCHEME, text, at)
    if (param) addParam(challenges.at(-1)?.params, param)
    else if (scheme) challenges.push({ scheme: (scheme[1] ?? '').toLowerCase(), params: Object.create(null) })
    // Text that is neither, such as the credentials of another scheme, ends at the next space.
    at += (param ?? scheme ?? match(/[^\s,]+/y, text, at) ?? ['?'])[0].length
  }
  return challenges
}

function addParam(params: Record<string, string> | undefined, [, name = '', quoted, plain]: RegExpExecArray): void {
  const key = name.toLowerCase()
  // The first one counts: nothing that is appended can change what was said before.
  if (params && !(key in params)) params[key] = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
}

const skip = (text: string, at: number): number => at + (match(GAP, text, at)?.[0].length ?? 0)

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
