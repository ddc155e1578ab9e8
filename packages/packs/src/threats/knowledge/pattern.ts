/** How bad it is. */
export type Severity = 'critical' | 'high' | 'medium' | 'low'
/** How often it is met. */
export type Likelihood = 'high' | 'medium' | 'low'

/** Code that shows a mitigation: what goes wrong, and what does not. */
export interface CodeExample {
  readonly language: string
  readonly framework: string
  readonly description: string
  readonly vulnerable_code?: string
  readonly secure_code?: string
}

/** One way to stop a threat. */
export interface Mitigation {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly effectiveness: 'very high' | 'high' | 'medium' | 'low'
  readonly implementation_effort: 'high' | 'medium' | 'low'
  readonly tradeoffs?: readonly string[]
  readonly code_examples?: readonly CodeExample[]
}

/** How somebody would use the hole, and what it costs. */
export interface AttackScenario {
  readonly narrative: string
  readonly preconditions: readonly string[]
  readonly steps: readonly { readonly step: number; readonly action: string; readonly detail: string }[]
  readonly impact: {
    readonly confidentiality: string
    readonly integrity: string
    readonly availability: string
    readonly scope: string
    readonly business_impact?: string
  }
}

/** What in a description of the work makes a pattern relevant. */
export interface Triggers {
  /** Words and phrases, in this order of words. */
  readonly keywords: readonly string[]
  /** Phrases whose words may stand anywhere. */
  readonly actions?: readonly string[]
  /** Globs of paths that are mentioned. */
  readonly file_patterns?: readonly string[]
  /** Further words and phrases, as developers put it, separated by semicolons. */
  readonly phrases?: string
}

/** A weakness or a class of them that others have numbered. */
export interface Reference {
  readonly cwe?: string
  readonly owasp?: string
  readonly name: string
  readonly url: string
}

/** One threat, as its file has it. */
export interface Pattern {
  readonly id: string
  readonly name: string
  /** A: worked out in full. B: shorter. */
  readonly tier: 'A' | 'B'
  readonly version: string
  readonly last_updated: string
  readonly category: string
  readonly subcategory: string
  readonly language: string
  readonly framework: string
  readonly severity: Severity
  readonly likelihood: Likelihood
  /** Other settings it holds in, each `language/framework`. */
  readonly generalizes_to?: readonly string[]
  readonly provenance: {
    readonly source_type: string
    readonly description: string
    readonly public_references: readonly Reference[]
  }
  readonly triggers: Triggers
  readonly differentiation?: {
    readonly llm_knowledge_state: string
    readonly tmkb_value: string
    readonly llm_blindspots: readonly string[]
  }
  readonly description: string
  readonly agent_summary: { readonly threat: string; readonly check: string; readonly fix: string }
  readonly attack_scenario?: AttackScenario
  readonly mitigations: readonly Mitigation[]
  readonly security_principles?: readonly string[]
  readonly related_patterns?: readonly {
    readonly id: string
    readonly relationship: string
    readonly description: string
  }[]
  readonly testing?: { readonly manual_verification: readonly string[]; readonly automated_checks: readonly string[] }
  readonly validation?: { readonly baseline_test: string }
}
