import { compileRights } from '@causeway/engine/policies'
import type { Decision, RightsKind, RightsRule } from '@causeway/engine/policies'
import type { Principal } from '@causeway/engine/http'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import { print, printJson } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

const KINDS: readonly (readonly [string, RightsKind])[] = [
  ['tool', 'tools'],
  ['resource', 'resources'],
  ['prompt', 'prompts'],
]

/** Say what the rules of a configuration decide. */
export async function rights(args: Args): Promise<number> {
  const [action, ...rest] = args.positionals
  if (action === undefined || rest.length > 0) throw new UsageError(`Usage: ${args.command.usage}`)
  return actionNamed({ explain }, action)(args)
}

async function explain(args: Args): Promise<number> {
  const given = (name: string): string | undefined => args.given.get(name)?.at(-1)
  const { rights: rules, configFile } = readConfig(args)
  const who = given('who')
  if (who === undefined) throw new UsageError("Name the caller: --who NAME, or --who '*' for one without a token.")
  const asked = KINDS.flatMap(([flag, kind]) => {
    const key = given(flag)
    return key === undefined ? [] : [{ flag, kind, key }]
  })
  const [one, ...others] = asked
  if (one === undefined || others.length > 0)
    throw new UsageError('Name one thing: --tool NAME, --resource URI or --prompt NAME.')
  const decision = rules && compileRights(rules).of(callerOf(who, args))?.decide(one.kind, one.key)
  const { allowed, rule } = decision ?? { allowed: true, rule: undefined }
  const text = rule === undefined ? undefined : rules?.[rule]
  if (isGiven(args, 'json')) await printJson({ who, [one.flag]: one.key, allowed, rule, text })
  else
    await print(
      said(`${who} ${allowed ? 'may' : 'may not'} use the ${one.flag} ${one.key}`, configFile, decision, text),
    )
  return allowed ? 0 : 1
}

function callerOf(name: string, { given }: Args): Principal | undefined {
  const scopes = (given.get('with-scope') ?? []).flatMap(text => text.split(','))
  const issuer = given.get('issuer')?.at(-1)
  if (name !== '*') return { name, scopes, claims: issuer === undefined ? {} : { iss: issuer } }
  if (scopes.length === 0 && issuer === undefined) return undefined
  throw new UsageError("--who '*' is a caller without a token, which has no scopes and no issuer: leave them out.")
}

function said(
  verdict: string,
  file: string | undefined,
  decision: Decision | undefined,
  rule: RightsRule | undefined,
): string {
  const where = file === undefined ? 'No configuration file was named' : `${file} has no key rights`
  if (!decision) return `${verdict}: ${where}, so nothing is restricted.`
  if (decision.rule === undefined || !rule) return `${verdict}: no rule that names this caller allows it.`
  return `${verdict}: rights[${decision.rule}] ${decision.allowed ? 'allows' : 'denies'} it.\n${JSON.stringify(rule)}`
}
