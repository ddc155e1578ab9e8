import { languageOf } from './rank.ts'
import type { CodeExample, Mitigation, Pattern, Reference } from './pattern.ts'

/** The most patterns an answer holds. */
export const MOST_PATTERNS = 3
/** The most tokens an answer for an agent has. */
export const MOST_TOKENS = 500

/** About how many tokens a text is: four bytes each. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** The short answer: what threatens, what to check, how to fix it, and one piece of code to start from. */
export function forAgent(ranked: readonly Pattern[], language?: string): Record<string, unknown> {
  const { chosen, tokens, cut } = fitting(ranked.slice(0, MOST_PATTERNS).map(brief))
  const answer = {
    pattern_count: ranked.length,
    patterns_included: chosen.length,
    ...(chosen.length > 0 && { token_count: tokens }),
    ...(cut && { token_limit_reached: true }),
    ...(chosen.length > 0 && { patterns: chosen }),
  }
  const code = ranked[0] && secureCode(ranked[0], language)
  if (!code) return answer
  const { language: written, framework, secure_code } = code
  const full = { ...answer, code_pattern: { language: written, framework, secure_template: secure_code } }
  return tokensOf(JSON.stringify(full)) <= MOST_TOKENS ? full : answer
}

/** The long answer: everything a person would want to read. */
export function forHuman(ranked: readonly Pattern[]): Record<string, unknown> {
  const chosen = ranked.slice(0, MOST_PATTERNS).map(full)
  return {
    pattern_count: ranked.length,
    patterns_included: chosen.length,
    ...(chosen.length > 0 && { verbose_patterns: chosen }),
  }
}

const brief = ({ id, severity, agent_summary: { threat, check, fix } }: Pattern): object => ({
  id,
  severity,
  threat,
  check,
  fix,
})

/** As many as the tokens allow, and always the first. */
function fitting(patterns: readonly object[]): { chosen: object[]; tokens: number; cut: boolean } {
  const chosen: object[] = []
  let tokens = 0
  for (const pattern of patterns) {
    const more = tokensOf(JSON.stringify(pattern))
    if (chosen.length > 0 && tokens + more > MOST_TOKENS) return { chosen, tokens, cut: true }
    chosen.push(pattern)
    tokens += more
  }
  return { chosen, tokens, cut: false }
}

/** In the language asked for if there is such code; of a mitigation of high effectiveness before any other. */
function secureCode({ mitigations }: Pattern, language: string | undefined): CodeExample | undefined {
  const examples = [...mitigations.filter(isHigh), ...mitigations.filter(m => !isHigh(m))]
    .flatMap(({ code_examples = [] }) => code_examples)
    .filter(({ secure_code }) => secure_code !== undefined)
  return examples.find(example => languageOf(example.language) === languageOf(language)) ?? examples[0]
}

const isHigh = ({ effectiveness }: Mitigation): boolean => effectiveness === 'high'

function full(pattern: Pattern): object {
  const { id, name, severity, likelihood, agent_summary, description, attack_scenario, mitigations } = pattern
  const references = pattern.provenance.public_references
  return {
    id,
    name,
    severity,
    likelihood,
    ...agent_summary,
    description,
    ...(attack_scenario && { attack_scenario }),
    mitigations,
    ...listed('related_patterns', pattern.related_patterns?.map(related => related.id) ?? []),
    ...listed('cwe_references', named(references, 'cwe')),
    ...listed('owasp_references', named(references, 'owasp')),
  }
}

const named = (references: readonly Reference[], by: 'cwe' | 'owasp'): string[] =>
  references.flatMap(reference => reference[by] ?? [])

const listed = (member: string, values: readonly string[]): object => (values.length > 0 ? { [member]: values } : {})
