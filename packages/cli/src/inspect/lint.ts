import { lintTools } from '@causeway/engine/internal'
import type { LintFinding, RuleName } from '@causeway/engine/internal'
import { scanLists } from '@causeway/gateway'
import type { Finding } from '@causeway/gateway'

type Json = Readonly<Record<string, unknown>>

/** Everything that a server lists. */
export interface Listed {
  readonly tools: readonly Json[]
  readonly prompts: readonly Json[]
  readonly resources: readonly Json[]
  readonly templates: readonly Json[]
  readonly instructions: string | undefined
}

/** What the author of a server should change in its definitions. */
export const lint = (listed: Listed): readonly LintFinding[] => [...lintTools(listed.tools), ...texts(listed)]

const SCANNED: Readonly<Record<Finding['rule'], RuleName>> = {
  invisible: 'text-invisible',
  instructions: 'text-orders',
  secrets: 'text-secrets',
  shadowing: 'text-orders',
  'look-alike': 'text-orders',
  unscanned: 'text-unscanned',
}

/** Texts that a person cannot see, or that tell the model what to do. */
function texts(listed: Listed): readonly LintFinding[] {
  const lists = { server: undefined, speaks: '', completes: false, characters: 0, ...listed }
  return [...scanLists(lists)].flatMap(([subject, findings]) =>
    findings.map(({ rule, where, why }) => ({
      rule: SCANNED[rule],
      subject: subject === 'instructions instructions' ? 'instructions' : subject,
      message: `${where} ${why}`,
    })),
  )
}
