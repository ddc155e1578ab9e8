// What lizard counts otherwise, by its own documentation and source; everything else must be equal.

const TOKEN =
  /\/\/.*|\/\*[^]*?\*\/|@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^[ \t]*#[^\n]*|\w+|&&|\|\||\?\?|[^\s]/gm
const DECISIONS = new Set(['if', 'for', 'while', 'case', 'catch', '&&', '||', '?', '??', 'foreach'])

/** The least and the most that lizard may say of a function, given what we say. */
export function expectedOfLizard(lines, own, inner, toolchain) {
  if (!['c', 'cpp', 'csharp'].includes(toolchain)) return { least: own.cyclomatic, most: own.cyclomatic }
  const all = [...lines.join('\n').matchAll(TOKEN)]
    .map(([token]) => token.trim())
    .filter(token => !/^\/[/*]/.test(token))
  const body = bodyOf(all)
  const tokens = all.slice(body)
  const nested = inner.reduce((sum, f) => sum + f.cyclomatic - 1, 0)
  // What decides among initial values before the body is not counted.
  const before = all.slice(0, body).filter(token => DECISIONS.has(token) && toolchain !== 'csharp').length
  const special = toolchain === 'csharp' ? sharp(tokens) : -references(tokens)
  const base = own.cyclomatic + nested + directives(tokens) + special
  return { least: base - before, most: base + alternatives(tokens) }
}

/** Where the body begins: at the first brace or arrow outside of brackets. */
function bodyOf(tokens) {
  let depth = 0
  const at = tokens.findIndex((token, i) => {
    if (token === '(') depth += 1
    else if (token === ')') depth -= 1
    return depth === 0 && (token === '{' || (token === '=' && tokens[i + 1] === '>'))
  })
  return Math.max(0, at)
}

/** To lizard `#if`, `#ifdef` and `#elif` are decisions. */
const directives = tokens => tokens.filter(token => /^#\s*(?:if|ifdef|elif)\b/.test(token)).length

/** An `&&` before an assignment is taken for a reference. */
function references(tokens) {
  let count = 0
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at] !== '&&') continue
    const end = tokens.findIndex((token, i) => i > at && /^[=;{})]$/.test(token))
    if (end > 0 && tokens[end] === '=' && tokens[end + 1] !== '=' && !/^[=!<>]$/.test(tokens[end - 1])) count += 1
    at = Math.max(at, end)
  }
  return count
}

/** `int?`, `a?.b` and `a?[0]` count, `foreach`, `when`, and the words of patterns do not. */
function sharp(tokens) {
  const count = test => tokens.filter((token, at) => test(token, at)).length
  const nullable = count((token, at) => token === '?' && (/^[.[>,)]$/.test(tokens[at + 1] ?? '') || isType(tokens, at)))
  return nullable - count(token => token === 'foreach') - count(token => token === 'when')
}

/** Is the question mark part of a type, as in `int? x = 1` and `(string?)y`? */
const isType = (tokens, at) =>
  /^[\w>\]]+$/.test(tokens[at - 1] ?? '') &&
  /^\w+$/.test(tokens[at + 1] ?? '') &&
  /^[=;,)({]$|^in$/.test(tokens[at + 2] ?? '') &&
  !hasColon(tokens, at)

const hasColon = (tokens, at) => {
  for (let i = at + 1; i < tokens.length && !/^[;{}]$/.test(tokens[i]); i++) if (tokens[i] === ':') return true
  return false
}

/** Of alternatives that cannot be read one after the other we read the first, of `#if 0` nothing. */
function alternatives(tokens) {
  const open = []
  let count = 0
  for (const token of tokens) {
    if (/^#\s*if/.test(token)) open.push(/^#\s*if\s+(?:0|false)\b/.test(token))
    else if (/^#\s*el/.test(token)) open.splice(-1, 1, true)
    else if (/^#\s*endif/.test(token)) open.pop()
    if (open.includes(true) && (DECISIONS.has(token) || /^#\s*(?:if|ifdef|elif)\b/.test(token))) count += 1
  }
  return count
}
