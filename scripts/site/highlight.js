/** Text as HTML shows it. */
export const escaped = text =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const KEYWORDS =
  'as async await break case catch class const continue default do else export extends false finally for from function if import in instanceof interface let new null of return satisfies static switch this throw true try type typeof undefined var void while yield'
const CODE = new RegExp(
  String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?\*/)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\`)|(?<keyword>\b(?:${KEYWORDS.replaceAll(' ', '|')})\b)|(?<number>\b\d[\d_.]*\b)`,
  'g',
)
const SHELL =
  /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<keyword>(?<=\s)--?[a-z][\w-]*)|(?<number>\$\{?\w+\}?)/gm
const LANGUAGES = { ts: CODE, js: CODE, json: CODE, jsonc: CODE, sh: SHELL, bash: SHELL, yaml: SHELL, toml: SHELL }

/** Code with its comments, strings, keywords and numbers marked. */
export function highlighted(code, language) {
  const pattern = LANGUAGES[language] ?? (language === '' ? SHELL : undefined)
  if (!pattern) return escaped(code)
  let at = 0
  let html = ''
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined)
    html += `${escaped(code.slice(at, match.index))}<span class="${kind}">${escaped(match[0])}</span>`
    at = match.index + match[0].length
  }
  return html + escaped(code.slice(at))
}
