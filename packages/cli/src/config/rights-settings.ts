import { didYouMean } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { ApprovalRule, RightsKind, RightsPatterns, RightsRule } from '@causeway/engine/policies'
import { membersOf } from './auth-settings.ts'
import type { Bad } from './auth-settings.ts'
import { UsageError, sentence } from './usage-error.ts'
import { parsers } from './values.ts'

const KEYS = ['who', 'allow', 'deny', 'rate', 'concurrency', 'timeout', 'approve']
const APPROVALS = ['destructive', 'writes'] as const
const KINDS: readonly RightsKind[] = ['tools', 'resources', 'prompts']
// Enough for a large company; each list and each call asks all rules that name the caller.
const MOST_RULES = 1000
const MOST_PATTERNS = 1000
const LONGEST = 500
const MOST_AT_ONCE = 1_000_000

/** The key `rights` of a configuration file: rules in their order; what is wrong is said with the place where it stands. */
export function readRights(value: unknown, bad: Bad): readonly RightsRule[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value))
    throw bad('\'rights\' must be an array of rules such as { "who": ["*"], "allow": {} }', 'rights')
  if (value.length > MOST_RULES) throw bad(`'rights' has ${value.length} rules; ${MOST_RULES} are allowed`, 'rights')
  return value.map((one: unknown, i) => ruleIn(one, `rights[${i}]`, bad))
}

function ruleIn(value: unknown, where: string, bad: Bad): RightsRule {
  const { who, allow, deny, rate, concurrency, timeout, approve } = membersOf(value, where, KEYS, bad)
  const names = patternsIn(who, `${where}.who`, bad)
  if (names.length === 0) throw bad(`'${where}.who' is empty: write "*" for every caller`, `${where}.who`)
  const read = <T>(name: 'rate' | 'duration', text: unknown, key: string): T | 'off' => {
    const place = `${where}.${key}`
    if (typeof text !== 'string') throw bad(`'${place}' must be a text${shown(text)}`, place)
    return flagValue(() => parsers[name](text, key) as T | undefined, place, bad) ?? 'off'
  }
  return {
    who: names,
    ...(allow !== undefined && { allow: patternsByKind(allow, `${where}.allow`, bad) }),
    ...(deny !== undefined && { deny: patternsByKind(deny, `${where}.deny`, bad) }),
    ...(rate !== undefined && { rate: read<Exclude<RightsRule['rate'], undefined | 'off'>>('rate', rate, 'rate') }),
    ...(concurrency !== undefined && { concurrency: countIn(concurrency, `${where}.concurrency`, bad) }),
    ...(timeout !== undefined && { timeout: read<number>('duration', timeout, 'timeout') }),
    ...(approve !== undefined && { approve: approvalIn(approve, `${where}.approve`, bad) }),
  }
}

/** A value that a flag could have, with the place in the file instead of the flag. */
function flagValue<T>(parse: () => T, where: string, bad: Bad): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof UsageError) throw bad(error.message.replace(/^\S+/, `'${where}'`), where)
    throw error
  }
}

function patternsByKind(value: unknown, where: string, bad: Bad): RightsPatterns {
  const members = membersOf(value, where, KINDS, bad)
  return Object.fromEntries(
    KINDS.flatMap(kind =>
      members[kind] === undefined ? [] : [[kind, patternsIn(members[kind], `${where}.${kind}`, bad)]],
    ),
  )
}

function patternsIn(value: unknown, where: string, bad: Bad): readonly string[] {
  if (!Array.isArray(value)) throw bad(`'${where}' must be an array of texts${shown(value)}`, where)
  if (value.length > MOST_PATTERNS)
    throw bad(`'${where}' has ${value.length} entries; ${MOST_PATTERNS} are allowed`, where)
  return value.map((one: unknown, i) => {
    if (typeof one === 'string' && one !== '' && one.length <= LONGEST) return one
    throw bad(`'${where}[${i}]' must be a text with 1 to ${LONGEST} characters${shown(one)}`, `${where}[${i}]`)
  })
}

function countIn(value: unknown, where: string, bad: Bad): number {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MOST_AT_ONCE) return Number(value)
  throw bad(`'${where}' must be a whole number, 1 to ${MOST_AT_ONCE}${shown(value)}`, where)
}

function approvalIn(value: unknown, where: string, bad: Bad): ApprovalRule {
  const found = APPROVALS.find(one => one === value)
  if (found) return found
  if (Array.isArray(value)) return patternsIn(value, where, bad)
  const hint = typeof value === 'string' ? didYouMean(value, APPROVALS) : undefined
  throw bad(sentence(`'${where}' must be "destructive", "writes" or an array of patterns${shown(value)}.`, hint), where)
}

const shown = (value: unknown): string =>
  value === undefined
    ? ', and is missing'
    : `, got ${isObject(value) ? 'an object' : JSON.stringify(value).slice(0, 100)}`
