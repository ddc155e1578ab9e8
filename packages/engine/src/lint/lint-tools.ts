import { isObject } from '../support/is-object.ts'
import { CLIENT_LIMITS, TOOL_LIMITS } from './client-limits.ts'
import type { Tool } from './client-limits.ts'
import type { LintFinding, RuleName } from './lint-finding.ts'
import { alikePairs, isVague } from './similar-text.ts'

type Json = Readonly<Record<string, unknown>>

/** What the author of some tools, as `tools/list` shows them, should change. */
export function lintTools(listed: readonly Json[]): readonly LintFinding[] {
  const tools = listed.map(asTool)
  return [
    ...tools.flatMap(tool => [...refusals(tool), ...descriptions(tool)]),
    ...listed.flatMap(annotations),
    ...alikePairs(tools).map(([one, other]): LintFinding => ({
      rule: 'tools-alike',
      subject: `tool ${one}`,
      message: `its description is nearly that of ${other}: say when to use which`,
    })),
    ...tooMany(tools.length),
  ]
}

const asTool = ({ name, description, inputSchema, outputSchema }: Json): Tool => ({
  name: String(name),
  description: typeof description === 'string' ? description : '',
  inputSchema: isObject(inputSchema) ? inputSchema : {},
  outputSchema: isObject(outputSchema) ? outputSchema : undefined,
})

function refusals(tool: Tool): readonly LintFinding[] {
  return CLIENT_LIMITS.flatMap(({ client, rule, what, source, hits }): LintFinding[] => {
    const hit = hits(tool)
    if (hit === false) return []
    const where = typeof hit === 'string' ? ` (${hit})` : ''
    return [{ rule, subject: `tool ${tool.name}`, message: `${client} refuses ${what}${where}`, client, source }]
  })
}

function descriptions({ name, description, inputSchema }: Tool): readonly LintFinding[] {
  const subject = `tool ${name}`
  const undescribed = Object.entries(isObject(inputSchema.properties) ? inputSchema.properties : {})
    .filter(([, schema]) => isObject(schema) && typeof schema.description !== 'string')
    .map(([key]) => key)
  const finding = (rule: RuleName, message: string): LintFinding => ({ rule, subject, message })
  return [
    ...(description.trim() === '' ? [finding('description-missing', 'it has no description')] : []),
    ...(isVague(name, description)
      ? [
          finding(
            'description-vague',
            'its description says no more than its name: say what it does, and when to use it',
          ),
        ]
      : []),
    ...(undescribed.length > 0
      ? [finding('parameter-undescribed', `no description: ${undescribed.slice(0, 10).join(', ')}`)]
      : []),
  ]
}

function annotations({ name, annotations: given }: Json): readonly LintFinding[] {
  if (isObject(given) && (given.readOnlyHint !== undefined || given.destructiveHint !== undefined)) return []
  const message =
    'it does not say whether it only reads (readOnlyHint) or destroys (destructiveHint): clients ask each time'
  return [{ rule: 'annotations-missing', subject: `tool ${String(name)}`, message }]
}

const tooMany = (count: number): readonly LintFinding[] =>
  TOOL_LIMITS.filter(({ most }) => count > most).map(({ client, most, source }) => ({
    rule: 'tools-many',
    subject: 'the server',
    message: `${count} tools: ${client} takes ${most} of all servers together`,
    client,
    source,
  }))
