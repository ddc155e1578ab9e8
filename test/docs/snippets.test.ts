import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../support/spawned.ts'

const below = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'packages')).map(name => `packages/${name}/README.md`),
  ...below('docs').filter(name => name.endsWith('.md')),
]

/** What a reader has already: a server, and functions of his own. */
const PRELUDES: Readonly<Record<string, string>> = {
  'docs/client.md': 'declare function showInBrowser(url: string, signal: AbortSignal): Promise<string>',
  'docs/recipes.md': `declare function ordersOf(name: string): Promise<string[]>
    declare function listFiles(): Promise<string[]>
    declare function convertOne(file: string, signal: AbortSignal): Promise<void>
    declare function pieces(): AsyncIterable<string>`,
  'docs/scale.md': `declare const server: import('@causeway/engine').Server`,
  'docs/serving-over-http.md': `declare const server: import('@causeway/engine').Server
    declare function verify(token: string): Promise<{ sub: string; scope: string; exp: number }>
    declare function text(): string
    declare function log(...words: unknown[]): void`,
  'docs/writing-a-server.md': `declare function callElsewhere(name: string, args: unknown): Promise<string>
    declare function namesElsewhere(): Promise<string[]>`,
}

/** The TypeScript of a document, as one module; its lines keep their numbers. */
function moduleOf(document: string): string | undefined {
  let isCode = false
  let count = 0
  const lines = readFileSync(join(ROOT, document), 'utf8')
    .split('\n')
    .map(line => {
      const [, language] = /^```(\w*)/.exec(line) ?? []
      if (language === undefined) return isCode ? line : ''
      isCode = !isCode && language === 'ts'
      if (isCode) count += 1
      return ''
    })
  return count === 0 ? undefined : [...lines, PRELUDES[document] ?? '', 'export {}'].join('\n')
}

test('the TypeScript of the documents compiles', () => {
  // Inside the repository, so that packages are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules/.docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const modules = documents.flatMap(document => {
    const source = moduleOf(document)
    return source === undefined ? [] : [[document, source] as const]
  })
  expect(modules.length).toBeGreaterThan(4)
  for (const [document, source] of modules)
    writeFileSync(join(folder, document.replaceAll('/', '-').replace('.md', '.ts')), source)
  const lax = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    isolatedDeclarations: false,
    declaration: false,
    customConditions: [],
  }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: lax, include: ['*.ts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  expect(problemsIn(folder)).toEqual([])
})

/** What the compiler says of the documents. */
function problemsIn(folder: string): string[] {
  try {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    return []
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout)
      .trim()
      .split('\n')
  }
}
