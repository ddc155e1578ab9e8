import { expect, test } from 'vitest'
import { codeOnly, commentsOf, lineAt } from './lexer.ts'
import { importsOf, ownSources, packages, repoFiles, target, toPackage } from './repo.ts'

test('every form of import is found', () => {
  const text = [
    `import './effect.ts'`,
    `import a, { b } from "./a.ts"`,
    `import type { C } from './c.ts'`,
    `import {`,
    `  d, // from './no.ts'`,
    `} from './d.ts'`,
    `export { e } from './e.ts'`,
    `export type * from './f.ts'`,
    `const g = await import('./g.ts')`,
    `type H = import('./h.ts').H`,
  ].join('\n')
  const names = ['./effect.ts', './a.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts', './h.ts']
  expect(importsOf(text).map(({ specifier }) => specifier)).toEqual(names)
  expect(importsOf(text).map(({ line }) => line)).toEqual([1, 2, 3, 6, 7, 8, 9, 10])
})

test('what only looks like an import is not one', () => {
  const text = [
    `// import './a.ts'`,
    `/* export * from './b.ts' */`,
    `const text = "import './c.ts'"`,
    "const template = `from './d.ts' ${`import './e.ts'`} from './f.ts'`",
    `const list = Array.from('abc')`,
    `const pattern = /from '.\\/g.ts'/`,
    `const range = { from: './h.ts' }`,
  ].join('\n')
  expect(importsOf(text)).toEqual([])
})

test('code keeps its position when the rest is blanked', () => {
  const text = 'const a = `x${b({ c: 1 })}y` // d\nconst e = 4 / 2 /* f */ / 1'
  const code = codeOnly(text)
  expect(code).toHaveLength(text.length)
  expect(code).toMatch(/^const a = {5}b\(\{ c: 1 \}\) {8}\nconst e = 4 \/ 2 {9}\/ 1$/)
  expect(commentsOf(text).map(comment => comment.text)).toEqual(['// d', '/* f */'])
  expect(lineAt(text, text.indexOf('const e'))).toBe(2)
})

test('a quote inside a regular expression opens no string', () => {
  expect(codeOnly(`const a = text.split(/['"]/)\nenum B {}`)).toContain('enum B {}')
})

test('relative imports resolve from the file that holds them', () => {
  expect(target('packages/engine/src/methods/tools.ts', '../call.ts')).toBe('packages/engine/src/call.ts')
  expect(target('packages/engine/src/methods/tools.ts', 'node:fs')).toBeUndefined()
})

test('a package is read from its manifest', () => {
  const manifest = { name: '@x/y', exports: { '.': { source: './src/index.ts' }, './z': { source: './src/z.ts' } } }
  expect(toPackage('packages/y', manifest)).toMatchObject({
    specifiers: ['@x/y', '@x/y/z'],
    entries: ['packages/y/src/index.ts', 'packages/y/src/z.ts'],
  })
})

test('the repository lists itself', () => {
  expect(packages().map(({ name }) => name)).toContain('@causeway/engine')
  expect(ownSources().length).toBeGreaterThan(0)
  expect(repoFiles()).toContain('package.json')
  expect(repoFiles().filter(path => path.includes('node_modules'))).toEqual([])
})
