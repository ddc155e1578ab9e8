import { expect, test } from 'vitest'
import { commentsOf, lineAt } from './lexer.ts'
import type { Source } from './repo.ts'
import { ownSources, read } from './repo.ts'

/** The limits the linter must hold every source file to, as errors. */
const limits: Readonly<Record<string, number>> = {
  'max-lines': 300,
  'max-lines-per-function': 50,
  'max-params': 4,
  complexity: 12,
}

type Rules = Readonly<Record<string, unknown>>

interface LintConfig {
  readonly rules?: Rules
  readonly overrides?: readonly { readonly files: readonly string[]; readonly rules?: Rules }[]
}

/** The limit a rule sets as an error, be it spelled `["error", 300]` or `["error", { "max": 300 }]`. */
function limitIn(rule: unknown): number | undefined {
  if (!Array.isArray(rule) || rule[0] !== 'error') return undefined
  const setting: unknown = rule[1]
  if (typeof setting === 'number') return setting
  const isObject = typeof setting === 'object' && setting !== null
  return isObject && 'max' in setting && typeof setting.max === 'number' ? setting.max : undefined
}

/** Whether a file pattern can only match tests or files outside of `packages/`. */
function sparesSources(pattern: string): boolean {
  return pattern.endsWith('.test.ts') || !/^(?:packages|\*)/.test(pattern) || /^\*\.config\.\w+$/.test(pattern)
}

function looseLimits(config: LintConfig): string[] {
  const wrong = Object.entries(limits).filter(([name, max]) => limitIn(config.rules?.[name]) !== max)
  const loosened = (config.overrides ?? []).flatMap(({ files, rules = {} }) => {
    const names = Object.keys(rules).filter(name => name in limits)
    return files.filter(file => !sparesSources(file)).flatMap(file => names.map(name => ({ file, name })))
  })
  return [
    ...wrong.map(([name, max]) => `.oxlintrc.json: ${name} must be an error above ${max}`),
    ...loosened.map(({ file, name }) => `.oxlintrc.json: an override changes ${name} for ${file}`),
  ]
}

function tooLong({ path, text }: Source): string[] {
  const lines = text.replace(/\n$/, '').split('\n').length
  const max = limits['max-lines'] ?? 0
  return lines > max ? [`${path} has ${lines} lines, more than ${max}`] : []
}

/** A comment that switches one of the limits off, or every rule at once. */
function switchedOff({ path, text }: Source): string[] {
  return commentsOf(text).flatMap(comment => {
    const named = /(?:ox|es)lint-disable(?:-next-line|-line)?([^\n]*)/.exec(comment.text)?.[1]
    if (named === undefined) return []
    const rules = named.replace(/--.*|\*\//g, '').trim()
    const isBroad = rules === '' || Object.keys(limits).some(name => rules.includes(name))
    return isBroad ? [`${path}:${lineAt(text, comment.start)} switches off ${rules || 'every lint rule'}`] : []
  })
}

test('the linter holds every source to the size limits', () => {
  const config: LintConfig = JSON.parse(read('.oxlintrc.json'))
  expect(looseLimits(config)).toEqual([])
})

test('no source is longer than the limit', () => {
  expect(ownSources().flatMap(tooLong)).toEqual([])
})

test('no source switches a limit off', () => {
  expect(ownSources().flatMap(switchedOff)).toEqual([])
})

const tight: Rules = {
  'max-lines': ['error', { max: 300 }],
  'max-lines-per-function': ['error', { max: 50 }],
  'max-params': ['error', 4],
  complexity: ['error', { max: 12 }],
}

test('self-test: a loose limit is named', () => {
  expect(looseLimits({ rules: tight })).toEqual([])
  expect(looseLimits({ rules: { ...tight, complexity: ['error', { max: 20 }] } })).toEqual([
    '.oxlintrc.json: complexity must be an error above 12',
  ])
  expect(looseLimits({ rules: { ...tight, 'max-lines': ['warn', { max: 300 }] } })).toHaveLength(1)
  expect(looseLimits({})).toHaveLength(4)
})

const override = (...files: string[]): LintConfig => ({
  rules: tight,
  overrides: [{ files, rules: { 'max-lines': 'off' } }],
})

test('self-test: an override may spare tests, never sources', () => {
  expect(looseLimits(override('**/*.test.ts', 'test/**', 'bench/**', '*.config.ts'))).toEqual([])
  expect(looseLimits(override('packages/engine/src/protocol/**'))).toEqual([
    '.oxlintrc.json: an override changes max-lines for packages/engine/src/protocol/**',
  ])
  expect(looseLimits(override('**/*.ts'))).toHaveLength(1)
})

test('self-test: a long file is named', () => {
  expect(tooLong({ path: 'a.ts', text: 'x\n'.repeat(301) })).toEqual(['a.ts has 301 lines, more than 300'])
  expect(tooLong({ path: 'a.ts', text: 'x\n'.repeat(300) })).toEqual([])
})

test('self-test: a switched-off limit is named', () => {
  expect(switchedOff({ path: 'a.ts', text: 'x\n// oxlint-disable-next-line max-params -- it is just so' })).toEqual([
    'a.ts:2 switches off max-params',
  ])
  expect(switchedOff({ path: 'a.ts', text: '/* eslint-disable */' })).toEqual(['a.ts:1 switches off every lint rule'])
  expect(switchedOff({ path: 'a.ts', text: '// oxlint-disable-line no-console -- this is the logger' })).toEqual([])
})
