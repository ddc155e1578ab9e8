import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ownPatterns, validateFolder } from '@causeway/packs/threats'
import { Language, Parser } from '@vscode/tree-sitter-wasm'
import { expect, test } from 'vitest'
import { MOST_CODE_TOKENS, MOST_TOKENS, tokensOf } from '../../src/threats/answer.ts'
import { loadPatterns } from '../../src/threats/load.ts'
import type { CodeExample, Pattern } from '../../src/threats/knowledge/pattern.ts'

const patterns = await loadPatterns()
const of = (framework: string): Pattern[] => patterns.filter(pattern => pattern.framework === framework)
const examplesOf = ({ mitigations }: Pattern): CodeExample[] => mitigations.flatMap(m => m.code_examples ?? [])

test('our own files are valid, without a warning', async () => {
  expect(await validateFolder(ownPatterns)).toEqual({ files: patterns.length, findings: [] })
})

test('there are enough of them, and of each kind', () => {
  expect(patterns.length).toBeGreaterThanOrEqual(30)
  expect(of('flask').map(({ id }) => id)).toEqual(
    Array.from({ length: 12 }, (_, at) => `TMKB-AUTHZ-${String(at + 1).padStart(3, '0')}`),
  )
  for (const framework of ['fastapi', 'django', 'express', 'any']) expect(of(framework).length).toBeGreaterThan(3)
})

test('the twelve are those of the published system', () => {
  const row = ({ id, tier, severity, likelihood, subcategory, triggers, provenance }: Pattern): string =>
    [
      id.slice(-3),
      tier,
      `${severity}/${likelihood}`,
      subcategory,
      provenance.public_references.map(({ cwe, owasp }) => cwe ?? owasp).join(' '),
      triggers.keywords.length,
    ].join(' | ')
  expect(of('flask').map(row)).toEqual([
    '001 | A | high/high | async-boundaries | CWE-862 CWE-863 API1:2023 | 12',
    '002 | A | high/high | endpoint-consistency | CWE-862 CWE-863 API1:2023 | 9',
    '003 | A | high/medium | state-transitions | CWE-863 CWE-672 | 10',
    '004 | A | critical/high | multi-tenancy | CWE-863 CWE-284 API1:2023 | 11',
    '005 | A | high/high | ownership-models | CWE-863 CWE-639 API1:2023 | 12',
    '006 | B | high/high | input-handling | CWE-915 | 9',
    '007 | B | high/high | object-references | CWE-639 API1:2023 | 9',
    '008 | B | medium/medium | request-handling | CWE-650 | 8',
    '009 | B | high/medium | state-transitions | CWE-863 CWE-841 | 11',
    '010 | B | high/medium | object-references | CWE-639 | 12',
    '011 | B | high/medium | architecture | CWE-862 | 12',
    '012 | B | high/medium | bulk-operations | CWE-863 | 11',
  ])
})

test.each(patterns)('$id has everything a reader needs', pattern => {
  const { attack_scenario, mitigations, testing, related_patterns, triggers, tier, generalizes_to = [] } = pattern
  expect(attack_scenario?.steps.map(({ step }) => step)).toEqual([1, 2, 3])
  expect(Object.keys(attack_scenario?.impact ?? {})).toEqual(
    expect.arrayContaining(['confidentiality', 'integrity', 'availability', 'scope']),
  )
  expect(attack_scenario?.preconditions).not.toHaveLength(0)
  expect(mitigations).toHaveLength(tier === 'A' ? 3 : 1)
  expect(examplesOf(pattern).some(example => example.vulnerable_code && example.secure_code)).toBe(true)
  expect(testing?.manual_verification).not.toHaveLength(0)
  expect(testing?.automated_checks).not.toHaveLength(0)
  expect(related_patterns).not.toHaveLength(0)
  expect(triggers.actions).not.toHaveLength(0)
  expect(triggers.file_patterns).not.toHaveLength(0)
  expect(new Set(triggers.keywords).size).toBe(triggers.keywords.length)
  expect(
    generalizes_to.every(setting => /^(?:python|typescript)\/(?:flask|fastapi|django|express)$/.test(setting)),
  ).toBe(true)
})

const FRAMEWORKS = ['flask', 'fastapi', 'django', 'express']

test('three of the longest fit into an answer, and so does the longest code', () => {
  const brief = ({ id, severity, agent_summary }: Pattern): number =>
    tokensOf(JSON.stringify({ id, severity, ...agent_summary }))
  expect(3 * Math.max(...patterns.map(brief))).toBeLessThanOrEqual(MOST_TOKENS)
  const codes = patterns.flatMap(examplesOf).map(({ secure_code = '' }) => tokensOf(JSON.stringify(secure_code)))
  expect(Math.max(...codes)).toBeLessThanOrEqual(MOST_CODE_TOKENS)
})

test.each(patterns)('$id has code for each framework, and the same without its protection', pattern => {
  const first = pattern.mitigations.find(({ effectiveness }) => effectiveness === 'high')
  const examples = first?.code_examples ?? []
  expect(examples.map(({ framework }) => framework)).toEqual(FRAMEWORKS)
  for (const { language, framework, secure_code, vulnerable_code } of examplesOf(pattern)) {
    expect(language).toBe(framework === 'express' ? 'typescript' : 'python')
    expect(vulnerable_code).not.toBe(secure_code)
  }
})

// Faults that reviews of earlier samples found.
const FAULTS: readonly (readonly [string, RegExp])[] = [
  ['a legacy query', /\.query\.(?:get|filter|filter_by|all|first)\b|session\.query\(/],
  ['a password in plain text', /password(?:_hash)?\s*=\s*(?:body|request|req)\b/],
  ['a check of a digest that takes time', /(?:signature|digest\(\)|hexdigest\(\))\s*===?\s/],
  ['a token from a guessable source', /Math\.random|random\.(?:choice|randint)|uuid1/],
  ['SQL with values in it', /f"(?:SELECT|UPDATE|INSERT|DELETE)/],
]

test.each(FAULTS)('no secure code has %s', (_, fault) => {
  const bad = patterns.flatMap(pattern =>
    examplesOf(pattern)
      .filter(({ secure_code = '' }) => fault.test(secure_code))
      .map(({ framework }) => [pattern.id, framework]),
  )
  expect(bad).toEqual([])
})

test('what changes a row in SQLAlchemy commits', () => {
  const changes = /session\.(?:add|delete|execute)\(|^ +\w+(?:\.\w+)?\.\w+ = /m
  const bad = patterns.flatMap(pattern =>
    examplesOf(pattern)
      .filter(({ framework }) => framework === 'flask' || framework === 'fastapi')
      .filter(
        ({ secure_code = '' }) =>
          /session\.(?:add|delete)\(|db\.update\(|update\(/.test(secure_code) && changes.test(secure_code),
      )
      .filter(({ secure_code = '' }) => !secure_code.includes('.commit()'))
      .map(({ framework }) => [pattern.id, framework]),
  )
  expect(bad).toEqual([])
})

const folder = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'))
await Parser.init({ locateFile: (name: string) => join(folder, name) })

async function parserOf(language: string): Promise<Parser> {
  const parser = new Parser()
  parser.setLanguage(await Language.load(join(folder, `tree-sitter-${language}.wasm`)))
  return parser
}

test('every piece of code parses', async () => {
  const parsers = { python: await parserOf('python'), typescript: await parserOf('typescript') }
  const bad = patterns.flatMap(pattern =>
    examplesOf(pattern).flatMap(({ language, vulnerable_code, secure_code }) => {
      const parser = parsers[language as keyof typeof parsers]
      const codes = [vulnerable_code, secure_code].filter(code => code !== undefined)
      return codes.filter(code => parser.parse(code)?.rootNode.hasError !== false).map(code => `${pattern.id}: ${code}`)
    }),
  )
  expect(bad).toEqual([])
  expect(parsers.python.parse('def (:')?.rootNode.hasError).toBe(true)
  expect(parsers.typescript.parse('const = 1')?.rootNode.hasError).toBe(true)
})
