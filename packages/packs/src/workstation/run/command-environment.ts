import { fault } from '@causeway/engine'

/** The argument with variables for a program. The schema is short, since every client is sent it; the rest is checked here. */
export const env: {
  readonly type: 'object'
  readonly additionalProperties: { readonly type: 'string' }
  readonly description: string
  readonly 'x-audit': 'mask'
} = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Environment variables',
  'x-audit': 'mask',
}

const MOST = 32
const LONGEST = 8192

/** Variables that no program can be given are refused. */
export function checkEnvironment(variables: Readonly<Record<string, string>>): void {
  const names = Object.keys(variables)
  if (names.length > MOST) throw refused(`at most ${MOST} variables, got ${names.length}`)
  const odd = names.find(name => !/^[A-Za-z_]\w{0,255}$/.test(name))
  if (odd !== undefined)
    throw refused(`names of letters, digits and underscores, got ${JSON.stringify(odd.slice(0, 100))}`)
  const bad = names.find(name => (variables[name]?.length ?? 0) > LONGEST || variables[name]?.includes('\0'))
  if (bad !== undefined) throw refused(`values of at most ${LONGEST} characters without NUL, which ${bad} has not`)
}

const refused = (wanted: string): Error =>
  fault('invalid-arguments', `Parameter 'env' must have ${wanted}.`, { argument: 'env' })
