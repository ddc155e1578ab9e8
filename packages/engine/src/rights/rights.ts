import type { Principal } from '../auth/principal.ts'
import { fitsPattern } from '../catalog/names.ts'
import type { Decision, Grant, Rights } from './grant.ts'
import { matcher } from './patterns.ts'
import type { Matcher } from './patterns.ts'
import type { RightsRule, ShelfKind } from './rules.ts'

/** Rights that can be exchanged for others while they are in use. */
export interface FollowedRights extends Rights {
  /** Use these from now on, or throw and change nothing; without rules nothing is restricted. */
  replace(rules: readonly RightsRule[] | undefined): void
}

interface Compiled {
  readonly rule: RightsRule
  readonly allow: Matcher
  readonly deny: Matcher
}

const LIMITS = ['rate', 'concurrency', 'timeout'] as const
// Callers that differ in the rules that name them.
const MOST_GRANTS = 1000

/** The one evaluator: pure, compiled once per configuration. */
export function compileRights(rules: readonly RightsRule[]): Rights {
  const compiled = rules.map(rule => ({ rule, allow: matcher(rule.allow), deny: matcher(rule.deny) }))
  const grants = new Map<string, Grant>()
  return {
    of(principal) {
      const naming = compiled.flatMap(({ rule }, i) => (rule.who.some(who => names(who, principal)) ? [i] : []))
      const id = naming.join()
      const known = grants.get(id)
      if (known) return known
      if (grants.size >= MOST_GRANTS) grants.clear()
      const grant = grantOf(compiled, naming)
      grants.set(id, grant)
      return grant
    },
  }
}

/** Rights that are asked as they are at that moment. */
export function followedRights(rules?: readonly RightsRule[]): FollowedRights {
  let rights = rules && compileRights(rules)
  return {
    of: principal => rights?.of(principal),
    replace(changed) {
      rights = changed && compileRights(changed)
    },
  }
}

function grantOf(compiled: readonly Compiled[], naming: readonly number[]): Grant {
  const first = (fits: (one: Compiled) => boolean): number | undefined =>
    naming.find(i => compiled[i] !== undefined && fits(compiled[i]))
  const decide = (kind: ShelfKind, key: string): Decision => {
    const denies = first(({ deny }) => deny.touches(kind, key))
    if (denies !== undefined) return { allowed: false, rule: denies }
    const allows = first(({ allow }) => allow.covers(kind, key))
    return { allowed: allows !== undefined, rule: allows }
  }
  return {
    limits: naming.some(i => LIMITS.some(name => compiled[i]?.rule[name] !== undefined)),
    decide,
    offers: (kind, key) => decide(kind, key).allowed,
    limitOf(name, kind, key) {
      const rule = first(one => one.rule[name] !== undefined && one.allow.covers(kind, key))
      const limit = rule === undefined ? undefined : compiled[rule]?.rule[name]
      return rule === undefined || limit === undefined ? undefined : { rule, limit }
    },
    approvals: (kind, key) =>
      naming.flatMap(i => {
        const approve = compiled[i]?.rule.approve
        return approve !== undefined && compiled[i]?.allow.covers(kind, key) === true ? [approve] : []
      }),
  }
}

/** Does a rule name the caller? A scope or an issuer is never taken for a name. */
function names(who: string, principal: Principal | undefined): boolean {
  if (who === '*') return true
  if (!principal) return false
  const { name, scopes = [], claims = {} } = principal
  if (who.startsWith('scope:')) return scopes.some(scope => fitsPattern(scope, who.slice('scope:'.length)))
  if (who.startsWith('issuer:')) return fitsPattern(issuerOf(name, claims), who.slice('issuer:'.length))
  return fitsPattern(name, who)
}

/** An answer to introspection may leave its issuer out; the name of who logged in there begins with it. */
const issuerOf = (name: string, { iss }: Readonly<Record<string, unknown>>): string =>
  typeof iss === 'string' ? iss : (/^(\S+?)(?:#| client )/.exec(name)?.[1] ?? '')
