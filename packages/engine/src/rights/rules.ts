/** Kinds of features that a rule names. */
export type RightsKind = 'tools' | 'resources' | 'prompts'

/** Kinds of shelves: families of resources are judged by the patterns of resources. */
export type ShelfKind = RightsKind | 'templates'

/** What a rule allows or denies: patterns of names or URIs, in which `*` stands for anything. */
export type RightsPatterns = Readonly<Partial<Record<RightsKind, readonly string[]>>>

/** The limits of a rule: each counts the calls that the rule allows. */
export interface RightsLimits {
  readonly rate?: { readonly burst: number; readonly perSecond: number } | 'off'
  /** Calls of one client at once. */
  readonly concurrency?: number
  /** Milliseconds that a call may take. */
  readonly timeout?: number | 'off'
}

/** Which tools a person has to approve: those that destroy, those that write, or those that fit a pattern. */
export type ApprovalRule = 'destructive' | 'writes' | readonly string[]

/** Who may use what. */
export interface RightsRule extends RightsLimits {
  /** Names of principals, `scope:NAME`, `issuer:URL`, with `*` for anything; a lone `*` names every caller. */
  readonly who: readonly string[]
  readonly allow?: RightsPatterns
  readonly deny?: RightsPatterns
  /** What of that which it allows a person has to approve each time. */
  readonly approve?: ApprovalRule
}
