import { expect, test } from 'vitest'
import { forAgent, forHuman, tokensOf } from '../../src/threats/answer.ts'
import type { Pattern, Triggers } from '../../src/threats/knowledge/pattern.ts'
import { rank, suits } from '../../src/threats/ranking/rank.ts'
import { wordsOf } from '../../src/threats/ranking/words.ts'

const made = (id: string, triggers: Partial<Triggers>, more: Partial<Pattern> = {}): Pattern => ({
  id,
  name: id,
  tier: 'B',
  version: '1.0.0',
  last_updated: '2026-01-01',
  category: 'authorization',
  subcategory: 'test',
  language: 'python',
  framework: 'flask',
  severity: 'high',
  likelihood: 'high',
  provenance: { source_type: 'test', description: '', public_references: [] },
  triggers: { keywords: [], ...triggers },
  description: 'd',
  agent_summary: { threat: 't', check: 'c', fix: 'f' },
  mitigations: [],
  ...more,
})

const found = (triggers: Partial<Triggers>, context: string): boolean =>
  rank([made('A', triggers)], { context }).length > 0
const order = (patterns: readonly Pattern[], context: string): string =>
  rank(patterns, { context })
    .map(({ id }) => id)
    .join('')

test('words are met whole, in any form and case', () => {
  const meeting = (contexts: readonly string[]): string[] =>
    contexts.filter(context => found({ keywords: ['load'] }, context))
  const whole = ['load', 'LOAD it', 'it loads', 'loading…', 'loaded, again', '"load"', '(load)']
  expect(meeting(whole)).toEqual(whole)
  expect(meeting(['upload', 'payload', 'loader', 'workload', '', '   ', '!?'])).toEqual([])
  expect(found({ keywords: ['id'] }, 'valid')).toBe(false)
  expect(found({ keywords: ['id'] }, 'the ids')).toBe(true)
})

test('phrases of two and three words are met in their order', () => {
  const two = { keywords: ['task queue'] }
  expect(found(two, 'a Task Queue')).toBe(true)
  expect(found(two, 'task-queue')).toBe(true)
  expect(found(two, 'task  \n queues')).toBe(true)
  expect(found(two, 'queue task')).toBe(false)
  expect(found(two, 'task in a queue')).toBe(false)
  expect(found({ keywords: ['list of ids'] }, 'takes a list of ids')).toBe(true)
  expect(found({ keywords: ['list of ids'] }, 'takes a list of names')).toBe(false)
})

test('names in code are words too', () => {
  expect(wordsOf('tenantId')).toEqual(wordsOf('tenant_id'))
  expect(found({ keywords: ['tenant_id'] }, 'where tenantId = ?')).toBe(true)
  expect(found({ keywords: ['tenant'] }, 'tenant_id')).toBe(false)
  expect(found({ keywords: ['request.json'] }, 'for key in request.json:')).toBe(true)
  expect(found({ keywords: ['**kwargs'] }, 'Model(**kwargs)')).toBe(true)
  expect(found({ keywords: ['X-HTTP-Method-Override'] }, 'x-http-method-override')).toBe(true)
  expect(found({ keywords: ['websocket'] }, 'a WebSocket')).toBe(true)
})

test('each keyword counts once, however often it is met', () => {
  const often = made('A', { keywords: ['x', 'p', 'q'] })
  const both = made('B', { keywords: ['y', 'z', 'r'] })
  expect(order([often, both], 'x x x x y z')).toBe('BA')
})

test('a keyword inside a longer one that is met does not count again', () => {
  const inner = made('A', { keywords: ['multi-tenant', 'tenant', 'p'] })
  const two = made('B', { keywords: ['api', 'endpoint', 'p'] })
  expect(order([inner, two], 'multi-tenant api endpoint')).toBe('BA')
})

test('with as many met, the smaller set of keywords wins', () => {
  const small = made('B', { keywords: ['x', 'p'] })
  const large = made('A', { keywords: ['x', 'p', 'q'] })
  expect(order([large, small], 'x')).toBe('BA')
})

test('severity, then likelihood, then the id decide between equals', () => {
  const keywords = ['x']
  const all = [
    made('E', { keywords }, { severity: 'low' }),
    made('D', { keywords }, { severity: 'medium', likelihood: 'low' }),
    made('C', { keywords }, { severity: 'medium', likelihood: 'high' }),
    made('B', { keywords }),
    made('A', { keywords }, { severity: 'critical', likelihood: 'low' }),
    made('F', { keywords }),
  ]
  expect(order(all, 'x')).toBe('ABFCDE')
  expect(order(all.toReversed(), 'x')).toBe('ABFCDE')
})

test('the words of an action may stand anywhere, and count for less than a keyword', () => {
  const action = { actions: ['transfer ownership'] }
  expect(found(action, 'ownership is transferred')).toBe(true)
  expect(found(action, 'transfer money')).toBe(false)
  expect(
    order([made('A', action), made('B', { keywords: ['money', 'x', 'y', 'z'] })], 'transfer ownership of money'),
  ).toBe('BA')
})

test('a path that is mentioned is met by its pattern', () => {
  const files = { file_patterns: ['**/tasks.py', 'src/*.ts'] }
  expect(found(files, 'edit app/jobs/tasks.py, please')).toBe(true)
  expect(found(files, 'edit tasks.py')).toBe(true)
  expect(found(files, 'edit mytasks.py')).toBe(false)
  expect(found(files, 'see `src/a.ts`')).toBe(true)
  expect(found(files, 'see src/deep/a.ts')).toBe(false)
})

test('a pattern suits the settings it names', () => {
  const flask = made('A', {}, { generalizes_to: ['typescript/express'] })
  expect(suits(flask, {})).toBe(true)
  expect(suits(flask, { framework: 'any' })).toBe(true)
  expect(suits(flask, { language: 'python', framework: 'flask' })).toBe(true)
  expect(suits(flask, { language: 'javascript' })).toBe(true)
  expect(suits(flask, { language: 'typescript', framework: 'express' })).toBe(true)
  expect(suits(flask, { language: 'python', framework: 'express' })).toBe(false)
  expect(suits(flask, { framework: 'django' })).toBe(false)
  expect(suits(made('B', {}, { language: 'any', framework: 'any' }), { framework: 'django' })).toBe(true)
})

const long = (id: string, length: number): Pattern =>
  made(id, {}, { agent_summary: { threat: 't'.repeat(length), check: 'c', fix: 'f' } })

test('an answer for an agent stops at 500 tokens, but always has the first pattern', () => {
  const cut = forAgent([long('A', 900), long('B', 900), long('C', 900)])
  expect(cut).toMatchObject({ pattern_count: 3, patterns_included: 2, token_limit_reached: true })
  expect(cut.token_count).toBeLessThanOrEqual(500)
  const huge = forAgent([long('A', 9000), long('B', 10)])
  expect(huge).toMatchObject({ pattern_count: 2, patterns_included: 1, token_limit_reached: true })
  expect(forAgent([long('A', 10), long('B', 10)])).not.toHaveProperty('token_limit_reached')
})

test('code is given if it fits, of a mitigation of high effectiveness first', () => {
  const example = (secure_code: string): object => ({
    language: 'python',
    framework: 'flask',
    description: '',
    secure_code,
  })
  const mitigation = (effectiveness: string, code: string): object => ({
    id: 'M',
    name: 'm',
    description: 'd',
    effectiveness,
    implementation_effort: 'low',
    code_examples: [example(code)],
  })
  const withCode = (...mitigations: object[]): Pattern => made('A', {}, { mitigations: mitigations as never })
  const template = (pattern: Pattern): unknown => forAgent([pattern]).code_pattern
  expect(template(withCode(mitigation('very high', 'one'), mitigation('high', 'two')))).toEqual({
    language: 'python',
    framework: 'flask',
    secure_template: 'two',
  })
  expect(template(withCode(mitigation('low', 'one')))).toMatchObject({ secure_template: 'one' })
  expect(template(withCode(mitigation('high', 'x'.repeat(3000))))).toBeUndefined()
  expect(template(made('A', {}))).toBeUndefined()
})

test('nothing found is told in two numbers', () => {
  expect(forAgent([])).toEqual({ pattern_count: 0, patterns_included: 0 })
  expect(forHuman([])).toEqual({ pattern_count: 0, patterns_included: 0 })
})

test('tokens are counted by bytes', () => {
  expect(tokensOf('')).toBe(0)
  expect(tokensOf('abcde')).toBe(2)
  expect(tokensOf('éé')).toBe(1)
})
