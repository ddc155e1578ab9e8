import { isObject } from '@causeway/engine/internal'
import type { IssuerOptions, ScopePatterns, ScopeRulesOptions } from '@causeway/engine/http'
import { didYouMean } from '@causeway/engine'
import { expandVariables } from '@causeway/gateway/config'
import type { UsageError } from './usage-error.ts'
import { sentence } from './usage-error.ts'

/** Whose access tokens are accepted, and which scopes they need for what. */
export interface AuthSettings {
  readonly issuers: readonly IssuerOptions[]
  readonly scopes: ScopeRulesOptions
}

/** What holds where nothing is configured. */
export const NO_AUTH: AuthSettings = { issuers: [], scopes: {} }

/** Makes the error for a mistake in the file, at a place such as `rights[0].who`. */
export type Bad = (why: string, where: string) => UsageError
/** The members of an object in the file. */
export type Members = Readonly<Record<string, unknown>>
type Variables = (name: string) => string | undefined

/** The key `auth` of a configuration file; what is wrong is said with the place where it stands. */
export function readAuthSettings(value: unknown, variables: Variables, bad: Bad): AuthSettings {
  if (value === undefined) return NO_AUTH
  const auth = membersOf(value, 'auth', ['issuers', 'scopes', 'implies'], bad)
  const { tools, resources, prompts } = membersOf(
    auth.scopes ?? {},
    'auth.scopes',
    ['tools', 'resources', 'prompts'],
    bad,
  )
  if (auth.issuers !== undefined && !Array.isArray(auth.issuers))
    throw bad("'auth.issuers' must be an array of objects", 'auth.issuers')
  return {
    issuers: (auth.issuers ?? []).map((one: unknown, i: number) => issuerIn(one, `auth.issuers[${i}]`, variables, bad)),
    scopes: {
      tools: listsIn(tools, 'auth.scopes.tools', bad),
      resources: listsIn(resources, 'auth.scopes.resources', bad),
      prompts: listsIn(prompts, 'auth.scopes.prompts', bad),
      implies: listsIn(auth.implies, 'auth.implies', bad),
    },
  }
}

function issuerIn(value: unknown, where: string, variables: Variables, bad: Bad): IssuerOptions {
  const members = membersOf(value, where, ['issuer', 'audience', 'algorithms', 'introspection'], bad)
  const { audience, algorithms, introspection } = members
  return {
    issuer: textIn(members.issuer, `${where}.issuer`, bad),
    ...(audience !== undefined && { audience: textsIn(audience, `${where}.audience`, bad) }),
    ...(algorithms !== undefined && { algorithms: textsIn(algorithms, `${where}.algorithms`, bad) }),
    ...(introspection !== undefined && {
      introspection: introspectionIn(introspection, `${where}.introspection`, variables, bad),
    }),
  }
}

function introspectionIn(
  value: unknown,
  where: string,
  variables: Variables,
  bad: Bad,
): IssuerOptions['introspection'] {
  const { endpoint, ...members } = membersOf(value, where, ['endpoint', 'clientId', 'clientSecret'], bad)
  const problems: string[] = []
  const filled = (name: string): string =>
    expandVariables(textIn(members[name], `${where}.${name}`, bad), variables, problems)
  const client = { clientId: filled('clientId'), clientSecret: filled('clientSecret') }
  const [problem] = problems
  if (problem !== undefined) throw bad(`'${where}': ${problem}`, where)
  return { ...client, ...(endpoint !== undefined && { endpoint: textIn(endpoint, `${where}.endpoint`, bad) }) }
}

/** An object with no other members than the known ones. */
export function membersOf(value: unknown, where: string, known: readonly string[], bad: Bad): Members {
  if (!isObject(value)) throw bad(`'${where}' must be an object`, where)
  const unknown = Object.keys(value).find(key => !known.includes(key))
  if (unknown === undefined) return value
  throw bad(
    sentence(
      `unknown key '${where}.${unknown.slice(0, 100)}'.`,
      didYouMean(unknown, known),
      `Keys: ${known.join(', ')}.`,
    ),
    `${where}["${unknown}"]`,
  )
}

function textIn(value: unknown, where: string, bad: Bad): string {
  if (typeof value === 'string' && value !== '') return value
  throw bad(`'${where}' must be a text${value === undefined ? ', and is missing' : ''}`, where)
}

function textsIn(value: unknown, where: string, bad: Bad): readonly string[] {
  return [value].flat().map(one => textIn(one, where, bad))
}

/** Names or patterns, each with a list of scopes. */
function listsIn(value: unknown, where: string, bad: Bad): ScopePatterns {
  if (value === undefined) return {}
  if (!isObject(value)) throw bad(`'${where}' must be an object whose values are lists of scopes`, where)
  return Object.fromEntries(
    Object.entries(value).map(([name, list]) => [name, textsIn(list, `${where}["${name}"]`, bad)]),
  )
}
