/** The name of a rule. */
export type RuleName =
  | 'name-refused'
  | 'schema-refused'
  | 'description-refused'
  | 'tools-many'
  | 'text-invisible'
  | 'text-orders'
  | 'text-secrets'
  | 'text-unscanned'
  | 'description-missing'
  | 'description-vague'
  | 'tools-alike'
  | 'annotations-missing'
  | 'parameter-undescribed'

interface Rule {
  readonly level: 'error' | 'warning' | 'note'
  readonly about: string
}

/** The rules of `causeway inspect`. Their names stay: people switch them off, and reports refer to them. */
export const RULES: Readonly<Record<RuleName, Rule>> = {
  'name-refused': { level: 'error', about: 'A client refuses the name of a tool' },
  'schema-refused': { level: 'error', about: 'A client refuses the schema of a tool' },
  'description-refused': { level: 'error', about: 'A client refuses the description of a tool' },
  'tools-many': { level: 'warning', about: 'There are more tools than a client takes' },
  'text-invisible': { level: 'error', about: 'A text has characters that a person does not see' },
  'text-orders': { level: 'error', about: 'A text gives orders to the model' },
  'text-secrets': { level: 'error', about: 'A text asks for secrets' },
  'text-unscanned': { level: 'warning', about: 'A definition is too long or too deep to be scanned' },
  'description-missing': { level: 'warning', about: 'A tool has no description' },
  'description-vague': { level: 'warning', about: 'A description says no more than the name' },
  'tools-alike': { level: 'warning', about: 'Two tools have nearly the same description' },
  'annotations-missing': { level: 'warning', about: 'A tool does not say whether it only reads' },
  'parameter-undescribed': { level: 'note', about: 'A parameter has no description' },
}

/** Something about a definition that its author should change. */
export interface LintFinding {
  readonly rule: RuleName
  /** What it is about: `tool NAME`, `prompt NAME`, or the server. */
  readonly subject: string
  readonly message: string
  /** The client that refuses it, and where that was reported. */
  readonly client?: string
  readonly source?: string
}

/** How serious a finding is. */
export const levelOf = ({ rule }: LintFinding): Rule['level'] => RULES[rule].level
