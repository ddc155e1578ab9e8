import type { Policy, Server } from '@causeway/engine'
import { approval } from '@causeway/engine/policies'
import type { ApprovalRule } from '@causeway/engine/policies'
import { memoryStore } from '@causeway/engine/stores'
import type { Values } from '@causeway/engine/stores'
import type { Config } from '../../config/config.ts'

type ApprovalConfig = Pick<Config, 'approve' | 'remember' | 'configFile'>

/** What a person approves before it runs; the file may ask for more later. */
export function approvals(
  { approve, remember, configFile }: ApprovalConfig,
  server: Server,
  store: Values = memoryStore(),
): Policy[] {
  if (approve.length === 0 && configFile === undefined) return []
  const rules = approvalRules(approve)
  return [approval(server, { rules, rememberMs: remember, store, schemaOf: name => server.inputSchemaOf(name) })]
}

/** The two groups of tools, and patterns of names. */
function approvalRules(words: readonly string[]): readonly ApprovalRule[] {
  const patterns = words.filter(word => word !== 'destructive' && word !== 'writes')
  const groups = (['destructive', 'writes'] as const).filter(group => words.includes(group))
  return [...groups, ...(patterns.length > 0 ? [patterns] : [])]
}
