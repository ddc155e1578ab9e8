import { adviceFor } from './advice.ts'
import type { CodeExample, Mitigation, Pattern, Reference } from './knowledge/pattern.ts'
import { CODED, isAdvised, languageOf } from './knowledge/settings.ts'
import type { Setting } from './knowledge/settings.ts'

/** The most patterns an answer holds. */
export const MOST_PATTERNS = 3
/** The most tokens the patterns of an answer for an agent have. */
export const MOST_TOKENS = 500
/** The most tokens its code has. */
export const MOST_CODE_TOKENS = 500

/** About how many tokens a text is: four bytes each. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** The short answer: what threatens, what to check, how to fix it, and one piece of code to start from. */
export function forAgent(ranked: readonly Pattern[], setting: Setting = {}): Record<string, unknown> {
  const { chosen, tokens, cut } = fitting(ranked.slice(0, MOST_PATTERNS).map(brief))
  const [first] = ranked
  return {
    pattern_count: ranked.length,
    patterns_included: chosen.length,
    ...(chosen.length > 0 && { token_count: tokens }),
    ...(cut && { token_limit_reached: true }),
    ...(chosen.length > 0 && { patterns: chosen }),
    ...(first && howTo(first, setting)),
  }
}

/** The long answer: everything a person would want to read, with code of the setting that was asked for. */
export function forHuman(ranked: readonly Pattern[], setting: Setting = {}): Record<string, unknown> {
  const chosen = ranked.slice(0, MOST_PATTERNS).map(pattern => full(pattern, setting))
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

/** Code of the setting that was asked for, or advice where there is none. */
function howTo(pattern: Pattern, setting: Setting): object {
  if (isAdvised(setting)) {
    const advice = adviceFor(pattern, setting)
    return advice === undefined ? {} : { advice }
  }
  const code = secureCode(pattern, setting)
  if (!code || tokensOf(JSON.stringify(code.secure_code)) > MOST_CODE_TOKENS) return {}
  const { language, framework, secure_code } = code
  return { code_pattern: { language, framework, secure_template: secure_code } }
}

/** Of a mitigation of high effectiveness before any other, and of the pattern's own framework before its relatives. */
function secureCode({ mitigations, framework }: Pattern, setting: Setting): CodeExample | undefined {
  const examples = [...mitigations.filter(isHigh), ...mitigations.filter(m => !isHigh(m))]
    .flatMap(({ code_examples = [] }) => code_examples)
    .filter(example => example.secure_code !== undefined && isFor(setting, example))
  return examples.find(example => example.framework === framework) ?? examples[0]
}

const isHigh = ({ effectiveness }: Mitigation): boolean => effectiveness === 'high'

function isFor({ language, framework }: Setting, example: CodeExample): boolean {
  if (framework !== undefined && framework in CODED) return example.framework === framework
  return language === undefined || languageOf(example.language) === languageOf(language)
}

function full(pattern: Pattern, setting: Setting): object {
  const { id, name, severity, likelihood, agent_summary, description, attack_scenario } = pattern
  const references = pattern.provenance.public_references
  const advice = isAdvised(setting) ? adviceFor(pattern, setting) : undefined
  return {
    id,
    name,
    severity,
    likelihood,
    ...agent_summary,
    description,
    ...(attack_scenario && { attack_scenario }),
    mitigations: pattern.mitigations.map(mitigation => inSetting(mitigation, setting)),
    ...(advice !== undefined && { advice }),
    ...listed('related_patterns', pattern.related_patterns?.map(related => related.id) ?? []),
    ...listed('cwe_references', named(references, 'cwe')),
    ...listed('owasp_references', named(references, 'owasp')),
  }
}

/** A mitigation with only the code that was asked for. */
function inSetting({ code_examples = [], ...mitigation }: Mitigation, setting: Setting): Mitigation {
  const fitting = isAdvised(setting) ? [] : code_examples.filter(example => isFor(setting, example))
  return fitting.length > 0 ? { ...mitigation, code_examples: fitting } : mitigation
}

const named = (references: readonly Reference[], by: 'cwe' | 'owasp'): string[] =>
  references.flatMap(reference => reference[by] ?? [])

const listed = (member: string, values: readonly string[]): object => (values.length > 0 ? { [member]: values } : {})
