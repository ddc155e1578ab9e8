import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { codeOnly, lineAt } from './lexer.ts'
import type { Package, Source } from './repo.ts'
import { ownSources, packages, sources, toPackage } from './repo.ts'

/** Class heads with a parent; generics may stand between the name and `extends`. */
const heir = /\bclass\b\s*(?!extends\b)([\w$]*)\s*(?:<[^{]*>)?\s*\bextends\s+([\w$.]+)/g

/** Names that say nothing about what is inside. */
const vagueName = /^(?:utils?|helpers?)$/

function inheritance({ path, text }: Source): string[] {
  if (!path.startsWith('packages/engine/')) return []
  const heirs = [...codeOnly(text).matchAll(heir)].filter(([, , parent]) => parent !== 'Error')
  return heirs.map(({ 1: name, 2: parent, index }) => {
    return `${path}:${lineAt(text, index)} class ${name || '(unnamed)'} extends ${parent}: only Error may be extended`
  })
}

function vagueNames(path: string): string[] {
  const vague = path.split('/').find(part => vagueName.test(part.replace(/(?:\.test)?\.ts$/, '')))
  return vague === undefined ? [] : [`${path}: the name ${vague} does not say what is inside`]
}

function strayIndexes(path: string, all: readonly Package[]): string[] {
  if (posix.basename(path) !== 'index.ts' || all.some(({ entries }) => entries.includes(path))) return []
  return [`${path} is no entry point that a package.json exports: import the modules themselves`]
}

/** The name an `export` line declares; undefined for lists such as `export { a } from`. */
function declaredName(line: string): string | undefined {
  const head =
    /^export\s+(?:declare\s+|async\s+|abstract\s+)*(?:const|let|var|function\*?|class|interface|type)\s+([\w$]+)/
  return head.exec(line)?.[1]
}

/** Whether the text before a position ends in a doc comment that says something, with no blank line after it. */
function isDocumented(text: string, position: number): boolean {
  const before = text.slice(0, position)
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/[ \t]*\n?[ \t]*$/.exec(before)?.[1]
  return comment !== undefined && /\w/.test(comment)
}

function undocumented({ path, text }: Source): string[] {
  // Only the first of several declarations of a name needs the sentence: overloads, a type beside its value.
  const seen = new Set<string>()
  return [...codeOnly(text).matchAll(/^export\b[^\n]*/gm)].flatMap(({ 0: line, index }) => {
    const name = declaredName(line)
    if (name === undefined || seen.has(name)) return []
    seen.add(name)
    return isDocumented(text, index) ? [] : [`${path}:${lineAt(text, index)} ${name} has no /** sentence */ above it`]
  })
}

test('the engine inherits only from Error', () => {
  expect(ownSources().flatMap(inheritance)).toEqual([])
})

test('files are named for what they hold', () => {
  expect(sources().flatMap(({ path }) => vagueNames(path))).toEqual([])
})

test('an index.ts is an entry point', () => {
  const all = packages()
  expect(sources().flatMap(({ path }) => strayIndexes(path, all))).toEqual([])
})

test('every exported thing has its sentence', () => {
  expect(ownSources().flatMap(undocumented)).toEqual([])
})

const path = 'packages/engine/src/a.ts'

test('self-test: inheritance is named', () => {
  const text = 'class A<T> extends Map<string, T> {}\nconst b = class extends A {}\nclass C<T extends A> {}'
  expect(inheritance({ path, text })).toEqual([
    `${path}:1 class A extends Map: only Error may be extended`,
    `${path}:2 class (unnamed) extends A: only Error may be extended`,
  ])
  expect(inheritance({ path, text: 'export class RpcError extends Error {}\ninterface A extends B {}' })).toEqual([])
  expect(inheritance({ path: 'packages/cli/src/a.ts', text })).toEqual([])
})

test('self-test: a vague name is named', () => {
  expect(vagueNames('packages/cli/src/utils.ts')).toEqual([
    'packages/cli/src/utils.ts: the name utils.ts does not say what is inside',
  ])
  expect(vagueNames('packages/cli/src/helpers/a.ts')).toHaveLength(1)
  expect(vagueNames('packages/cli/src/terminal/print.ts')).toEqual([])
})

test('self-test: an index.ts nobody exports is named', () => {
  const all = [toPackage('packages/engine', { name: 'e', exports: { '.': { source: './src/index.ts' } } })]
  expect(strayIndexes('packages/engine/src/index.ts', all)).toEqual([])
  expect(strayIndexes('packages/engine/src/core/index.ts', all)).toEqual([
    'packages/engine/src/core/index.ts is no entry point that a package.json exports: import the modules themselves',
  ])
})

test('self-test: an export without its sentence is named', () => {
  const bare = [
    'export const a = 1',
    '// Not a doc comment.\nexport async function b(): Promise<void> {}',
    '/** Too far away. */\n\nexport interface C {}',
    '/** */\nexport type D = string',
    '/** About something else. */\nconst e = 1\nexport class F {}',
  ]
  const names = bare.flatMap(text => undocumented({ path, text })).map(complaint => complaint.split(' ')[1])
  expect(names).toEqual(['a', 'b', 'C', 'D', 'F'])
  expect(undocumented({ path, text: bare[1] ?? '' })).toEqual([`${path}:2 b has no /** sentence */ above it`])
})

test('self-test: documented exports, overloads and lists pass', () => {
  const text = [
    '/** Says it all. */\nexport const a = 1',
    '/**\n * Says it\n * in two lines.\n */\nexport function b(x: string): void\nexport function b(x: number): void',
    `export { c } from './c.ts'\nexport type { D } from './d.ts'\nexport * from './e.ts'`,
    'const text = `\nexport const f = 1\n`',
  ].join('\n')
  expect(undocumented({ path, text })).toEqual([])
})
