/** Kinds of threats that the patterns, which are about authorization, say nothing of. */
const UNCOVERED: readonly (readonly [string, RegExp])[] = [
  ['SQL injection', /\b(?:blind |second[- ]order )?(?:no)?sql[- ]?injections?\b|\bsqli\b/gi],
  ['command injection', /\b(?:os |shell )?command[- ]injections?\b/gi],
  [
    'cross-site scripting',
    /\bcross[- ]site[- ]scripting\b|\b(?:stored |reflected |dom )?xss\b|\bhtml[- ]injections?\b/gi,
  ],
  ['cross-site request forgery', /\bcross[- ]site[- ]request[- ]forger(?:y|ies)\b|\bc?xsrf\b|\bcsrf\b/gi],
  ['server-side request forgery', /\bserver[- ]side[- ]request[- ]forger(?:y|ies)\b|\bssrf\b/gi],
  ['XML external entities', /\bxml external entit(?:y|ies)\b|\bxxe\b/gi],
  ['insecure deserialization', /\b(?:insecure |unsafe )?deseriali[sz]ation\b/gi],
  ['template injection', /\b(?:server[- ]side )?template[- ]injections?\b|\bssti\b/gi],
  ['storing passwords', /\b(?:password[- ]hashing|hash(?:ing)? (?:of )?passwords?|stor(?:e|ing) passwords?)\b/gi],
  ['clickjacking', /\bclickjacking\b/gi],
]

/** What a text asks about that is not covered, and the text without it. */
export function withoutUncovered(text: string): { readonly uncovered: readonly string[]; readonly rest: string } {
  const found = UNCOVERED.filter(([, pattern]) => text.search(pattern) >= 0)
  const rest = found.reduce((left, [, pattern]) => left.replaceAll(pattern, ' '), text)
  return { uncovered: found.map(([name]) => name), rest }
}
