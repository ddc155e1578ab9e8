import { fitsPattern } from '../catalog/names.ts'
import { isScope } from './authenticator.ts'

/** Kinds of features that scopes may be needed for. */
export type ScopedKind = 'tools' | 'resources' | 'prompts'

/** Patterns of names or URIs, in which `*` stands for anything, and the scopes that what fits them needs. */
export type ScopePatterns = Readonly<Record<string, readonly string[]>>

/** Which scopes are needed for what, and which of them include others. */
export interface ScopeRulesOptions extends Readonly<Partial<Record<ScopedKind, ScopePatterns>>> {
  /** A scope, and those that who has it has too. */
  readonly implies?: Readonly<Record<string, readonly string[]>>
}

/** The same, ready to be asked. */
export interface ScopeRules {
  /** Is anything restricted? */
  readonly restricts: boolean
  /** Every scope that something may need. */
  readonly all: readonly string[]
  /** All scopes that a feature needs, by its name or URI. */
  needed(kind: ScopedKind, key: string): readonly string[]
  /** All scopes of one kind. */
  allOf(kind: ScopedKind): readonly string[]
  /** Scopes, with those that they imply. */
  expand(scopes: readonly string[]): readonly string[]
}

/** Rules that can be exchanged for others while they are in use. */
export interface FollowedScopeRules extends ScopeRules {
  /** Use these from now on, or throw and change nothing. */
  replace(options: ScopeRulesOptions): void
}

const KINDS: readonly ScopedKind[] = ['tools', 'resources', 'prompts']

/** Rules from their description; a name that can be no scope is refused. */
export function scopeRules(options: ScopeRulesOptions = {}): ScopeRules {
  const { implies = {} } = options
  const named = KINDS.flatMap(kind => Object.values(options[kind] ?? {})).concat(Object.values(implies))
  for (const scope of [...named.flat(), ...Object.keys(implies)]) checkScope(scope)
  const allOf = (kind: ScopedKind): readonly string[] => [...new Set(Object.values(options[kind] ?? {}).flat())]
  const all = [...new Set(KINDS.flatMap(allOf))]
  return {
    all,
    allOf,
    restricts: all.length > 0,
    needed(kind, key) {
      const keys = kind === 'resources' ? spellings(key) : [key]
      const fits = ([pattern]: readonly [string, unknown]): boolean => keys.some(one => fitsPattern(one, pattern))
      return [
        ...new Set(
          Object.entries(options[kind] ?? {})
            .filter(fits)
            .flatMap(([, scopes]) => scopes),
        ),
      ]
    },
    expand: scopes => expanded(scopes, new Map(Object.entries(implies))),
  }
}

/** Rules that are asked as they are at that moment. */
export function followedScopeRules(options: ScopeRulesOptions): FollowedScopeRules {
  let rules = scopeRules(options)
  return {
    get restricts() {
      return rules.restricts
    },
    get all() {
      return rules.all
    },
    needed: (kind, key) => rules.needed(kind, key),
    allOf: kind => rules.allOf(kind),
    expand: scopes => rules.expand(scopes),
    replace(changed) {
      rules = scopeRules(changed)
    },
  }
}

function checkScope(scope: string): void {
  if (!isScope(scope)) throw new TypeError(`'${scope.slice(0, 100)}' cannot be a scope: it has spaces or quotes`)
  if (scope === 'offline_access')
    throw new TypeError("'offline_access' cannot be required: it asks for a refresh token and grants nothing")
}

function expanded(scopes: readonly string[], implies: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (implies.size === 0) return scopes
  const found = new Set(scopes)
  // What is added while a set is iterated is iterated, too.
  for (const scope of found) for (const implied of implies.get(scope) ?? []) found.add(implied)
  return [...found]
}

/** The ways in which a URI can be read, so that another spelling of a resource is not another resource. */
export function spellings(uri: string): readonly string[] {
  const plain = decoded(uri)
  return [...new Set([uri, plain, normalized(uri), normalized(plain), decoded(normalized(uri))])]
}

const normalized = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri)

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}
