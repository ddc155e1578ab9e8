// What ctags says otherwise, and why; every rule is a class of differences that docs/packs/code.md names.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const texts = new Map()

function lineOf(root, { path, line }) {
  const file = join(root, path)
  if (!texts.has(file)) texts.set(file, readFileSync(file, 'utf8').split('\n'))
  return texts.get(file)[line - 1] ?? ''
}

const RULES = [
  // `TEST(Suite, Name) { … }` defines `Name` for us, and one more `TEST` for ctags.
  ({ language, name }, line, isOurs) =>
    ['C', 'C++'].includes(language) && /^[A-Z][A-Z0-9_]*$/.test(name) && line.includes(`${name}(`) && isOurs,
  // Not declared on this line: `=> value`, `where T : Name`, `using Name = …`, a call, a value.
  ({ language, kind }, line) =>
    language === 'C#' && kind !== 'namespace' && /=>|^\s*(?:where|using|return|global)\b|^\s*[\w.]+\(|#if/.test(line),
  // `req = { … }` is no class.
  ({ language, kind }, line) => language === 'JavaScript' && kind === 'class' && !/class|prototype/.test(line),
  // `app[method] = function` has no name.
  ({ language, name }, line) => language === 'JavaScript' && new RegExp(`${name}\\[[^\\]]+\\] = `).test(line),
  // `if Array === body` is a comparison; `def app.go` defines `go`.
  ({ language, kind }, line) =>
    language === 'Ruby' && (kind === 'constant' ? line.includes('===') : kind === 'singletonMethod'),
  // `@SerializedName("x") A` is the constant `A`.
  ({ language, name }, line) => language === 'Java' && new RegExp(`@${name}|\\b${name}\\s*[;)]`).test(line),
]

/** Is there a reason why a definition of ctags is none of ours? */
export const expectedOfCtags = (tag, { root, ours }) => {
  const line = lineOf(root, tag)
  const isOurs = [...ours].some(known => known.startsWith(`${tag.line} `))
  return RULES.some(rule => rule(tag, line, isOurs))
}
