import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { threats } from '@causeway/packs/threats'
import { describe, expect, test } from 'vitest'
import { MOST_CODE_TOKENS, MOST_TOKENS, tokensOf } from '../../src/threats/answer.ts'
import { cases } from './evaluation.ts'

const opened = (documented: boolean): Client =>
  connect(createServer({ name: 'test', version: '1.0.0' }).add(threats({ documented })))
const narrow = opened(true)
const wide = opened(false)

interface Answer {
  readonly pattern_count: number
  readonly patterns_included: number
  readonly token_count?: number
  readonly patterns?: readonly { readonly id: string }[]
  readonly verbose_patterns?: readonly Readonly<Record<string, unknown>>[]
  readonly code_pattern?: { readonly language: string; readonly framework: string; readonly secure_template: string }
}

async function textOf(client: Client, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.request('tools/call', { name: 'tmkb_query', arguments: args })
  return (content as [{ text: string }])[0].text
}

async function ask(client: Client, context: string, more: Record<string, unknown> = {}): Promise<Answer> {
  return JSON.parse(await textOf(client, { context, ...more })) as Answer
}

const ids = ({ patterns = [] }: Answer): string[] => patterns.map(({ id }) => id.replace('TMKB-AUTHZ-', ''))

describe('over the patterns for Flask', () => {
  const computed: readonly (readonly [string, readonly string[]])[] = [
    ['background job processing', ['001']],
    ['multi-tenant API endpoint', ['004']],
    ['list endpoint with pagination', ['002']],
    ['REST API update endpoint with PATCH', ['006', '008']],
    ['approve workflow status', ['009', '003']],
    ['celery worker task queue for tenant organization', ['001', '004', '005']],
    ['bulk delete with soft delete', ['008', '003', '012']],
  ]
  test.each(computed)('%s', async (context, expected) => {
    const answer = await ask(narrow, context)
    expect(ids(answer)).toEqual(expected)
    expect(answer.pattern_count).toBe(expected.length)
  })

  test.each(['authorization', 'admin dashboard', 'hello world', 'file upload', 'validate a payload'])(
    'nothing is known of: %s',
    async context => {
      expect(await textOf(narrow, { context })).toMatch(
        /^\{"pattern_count":0,"patterns_included":0,"hint":"No pattern matches\. .* such as 'celery', [^.]*\."\}$/,
      )
      const human = await ask(narrow, context, { verbosity: 'human' })
      expect(human).toEqual({ pattern_count: 0, patterns_included: 0, hint: expect.stringContaining('No pattern') })
    },
  )

  test('the language and the framework of all of them change nothing', async () => {
    const bare = await textOf(narrow, { context: 'celery in a workspace' })
    for (const setting of [{ language: 'python' }, { framework: 'flask' }, { framework: 'any' }])
      expect(await textOf(narrow, { context: 'celery in a workspace', ...setting })).toBe(bare)
  })

  test('relevance comes before severity, severity before the id', async () => {
    const { patterns } = await ask(narrow, 'celery worker task queue for tenant organization')
    expect(patterns).toMatchObject([{ severity: 'high' }, { severity: 'critical' }, { severity: 'high' }])
    // Both have one of twelve keywords and the same severity; 001 is the likelier of the two.
    expect(ids(await ask(narrow, 'a worker and attachments'))).toEqual(['001', '010'])
    // All the same: the id decides.
    expect(ids(await ask(narrow, 'attachments in the frontend'))).toEqual(['010', '011'])
  })

  test('related patterns are among those that are served', async () => {
    const { verbose_patterns = [] } = await ask(narrow, 'celery worker for a tenant', { verbosity: 'human' })
    expect(verbose_patterns[0]).toMatchObject({ id: 'TMKB-AUTHZ-001', related_patterns: ['TMKB-AUTHZ-004'] })
  })
})

describe('for an agent', () => {
  test('the answer has its members in this order and no others', async () => {
    const text = await textOf(narrow, { context: 'celery worker task queue for tenant organization' })
    const answer = JSON.parse(text) as Answer
    expect(Object.keys(answer)).toEqual([
      'pattern_count',
      'patterns_included',
      'token_count',
      'patterns',
      'code_pattern',
    ])
    for (const pattern of answer.patterns ?? [])
      expect(Object.keys(pattern)).toEqual(['id', 'severity', 'threat', 'check', 'fix'])
    expect(Object.keys(answer.code_pattern ?? {})).toEqual(['language', 'framework', 'secure_template'])
    expect(answer.code_pattern).toMatchObject({ language: 'python', framework: 'flask' })
    expect(answer.token_count).toBe(
      answer.patterns?.reduce((sum, pattern) => sum + tokensOf(JSON.stringify(pattern)), 0),
    )
    expect(text).toBe(JSON.stringify(answer))
  })

  test('never more than three patterns, 500 tokens of them and 500 of code', async () => {
    for (const { expected: _, ...query } of cases) {
      const {
        pattern_count,
        patterns_included,
        patterns = [],
        code_pattern,
        token_count,
      } = await ask(wide, query.context, query.framework === undefined ? {} : { framework: query.framework })
      expect(patterns_included).toBe(Math.min(3, pattern_count))
      expect(patterns).toHaveLength(patterns_included)
      expect(token_count ?? 0).toBeLessThanOrEqual(MOST_TOKENS)
      expect(tokensOf(JSON.stringify(code_pattern?.secure_template ?? ''))).toBeLessThanOrEqual(MOST_CODE_TOKENS)
      expect(code_pattern !== undefined).toBe(pattern_count > 0)
    }
  })
})

describe('for a person', () => {
  test('everything is told, and nothing is counted', async () => {
    const text = await textOf(narrow, { context: 'celery', verbosity: 'human' })
    const answer = JSON.parse(text) as Answer
    expect(Object.keys(answer)).toEqual(['pattern_count', 'patterns_included', 'verbose_patterns'])
    const [pattern = {}] = answer.verbose_patterns ?? []
    expect(Object.keys(pattern)).toEqual([
      'id',
      'name',
      'severity',
      'likelihood',
      'threat',
      'check',
      'fix',
      'description',
      'attack_scenario',
      'mitigations',
      'related_patterns',
      'cwe_references',
      'owasp_references',
    ])
    expect(pattern).toMatchObject({
      cwe_references: ['CWE-862', 'CWE-863'],
      owasp_references: ['API1:2023'],
      attack_scenario: { steps: [{ step: 1 }, { step: 2 }, { step: 3 }], impact: { confidentiality: 'high' } },
    })
    const { mitigations } = pattern as { mitigations: { code_examples: object[] }[] }
    expect(mitigations.map(({ code_examples }) => code_examples.length)).toEqual([1, 1, 1])
  })

  test('three patterns at most here too', async () => {
    const { pattern_count, patterns_included, verbose_patterns } = await ask(
      narrow,
      'approve many at once, a tenant, a worker and a list endpoint',
      { verbosity: 'human' },
    )
    expect(pattern_count).toBe(5)
    expect(patterns_included).toBe(3)
    expect(verbose_patterns).toHaveLength(3)
  })
})

describe('over all patterns', () => {
  test('what the document’s contexts find first stays first', async () => {
    expect(ids(await ask(wide, 'background job processing'))[0]).toBe('001')
    expect(ids(await ask(wide, 'multi-tenant API endpoint'))[0]).toBe('004')
    expect(ids(await ask(wide, 'list endpoint with pagination'))[0]).toBe('002')
    expect(ids(await ask(wide, 'approve workflow status'))[0]).toBe('009')
    expect(ids(await ask(wide, 'file upload'))[0]).toBe('037')
    expect(ids(await ask(wide, 'admin dashboard'))[0]).toBe('040')
  })

  test('little is said about what has no such threat', async () => {
    expect((await ask(wide, 'hello world')).pattern_count).toBe(0)
    const harmless = [
      'sort numbers with quicksort',
      'render markdown to html',
      'fix the CSS of the navigation bar',
      'parse dates in different formats',
      'write unit tests for a calculator',
      'train a neural network on text',
      'add dark mode to the page',
      'convert units from metric to imperial',
      'set up continuous integration with docker',
      'print the fibonacci sequence',
    ]
    const counts = await Promise.all(harmless.map(async context => (await ask(wide, context)).pattern_count))
    expect(counts).toEqual(harmless.map(() => 0))
  })

  test('a framework prefers its own patterns', async () => {
    expect(ids(await ask(wide, 'viewset of a tenant', { framework: 'django' }))[0]).toBe('017')
    expect(ids(await ask(wide, 'multi-tenant', { framework: 'express' }))).toContain('004')
    expect(ids(await ask(wide, 'auth middleware', { framework: 'express' }))[0]).toBe('022')
  })

  test.each([
    ['BOLA', '007'],
    ['IDOR', '007'],
    ['object-level authorization', '007'],
    ['broken object level authorization', '007'],
    ['BOPLA', '006'],
    ['mass assignment', '006'],
    ['BFLA', '040'],
    ['function level authorization', '040'],
    ['privilege escalation', '031'],
    ['TOCTOU', '028'],
    ['excessive data exposure', '015'],
    ['row level security', '004'],
  ])('%s is known under its own name', async (context, id) => {
    expect(ids(await ask(wide, context))[0]).toBe(id)
  })

  test('a query without a match says what would match', async () => {
    const answer = (await ask(wide, 'sort numbers')) as Answer & { hint?: string }
    expect(answer).toEqual({ pattern_count: 0, patterns_included: 0, hint: expect.stringContaining('tmkb_list') })
    const near = await ask(wide, 'count words in a file')
    expect(near).toMatchObject({
      pattern_count: 0,
      hint: expect.stringContaining("'"),
      nearest: [{ id: 'TMKB-AUTHZ-033' }],
    })
    for (const { hint = '' } of [answer, near as typeof answer])
      for (const [, word = ''] of hint.matchAll(/'([^']+)'/g))
        expect((await ask(wide, word)).pattern_count, word).toBeGreaterThan(0)
    expect(await textOf(wide, { context: 'sort numbers', verbosity: 'human' })).toContain('"hint": "No pattern')
  })

  test('the answer is structured as well', async () => {
    const result = await wide.request('tools/call', { name: 'tmkb_query', arguments: { context: 'saas' } })
    const [{ text }] = result.content as [{ text: string }]
    expect(result.structuredContent).toEqual(JSON.parse(text))
    expect(result.isError).toBe(false)
  })

  test('what is refused is refused with all faults and suggestions', async () => {
    const asked = wide.call('tmkb_query', { contxt: 'x', framework: 'flsk' })
    await expect(asked).rejects.toThrow("Did you mean 'flask'?")
    await expect(asked).rejects.toThrow("Did you mean 'context'?")
    await expect(asked).rejects.toThrow("Missing required parameter 'context'")
  })
})

test('the same question has the same answer, whatever was asked before', async () => {
  const contexts = ['celery worker for a tenant', 'share a document', 'websocket', 'admin panel']
  const first = await Promise.all(contexts.map(context => textOf(wide, { context })))
  for (let round = 0; round < 3; round++) {
    const again = await Promise.all(contexts.toReversed().map(context => textOf(wide, { context })))
    expect(again.toReversed()).toEqual(first)
  }
})

describe('a threat that is not about authorization', () => {
  test.each([
    ['SQL injection in search endpoint', 'SQL injection'],
    ['prevent XSS in the comment form of a user profile', 'cross-site scripting'],
    ['CSRF protection for the login form', 'cross-site request forgery'],
    ['SSRF where an image is fetched by its URL', 'server-side request forgery'],
    ['hashing passwords at signup', 'storing passwords'],
  ])('is said not to be covered: %s', async (context, name) => {
    const answer = await ask(wide, context)
    expect(answer).toMatchObject({
      pattern_count: 0,
      not_covered: `These patterns are about authorization. Not covered: ${name}.`,
    })
  })

  test('beside one that is, is named next to its patterns', async () => {
    const answer = await ask(wide, 'SQL injection, and tenant isolation of a multi-tenant API endpoint')
    expect(ids(answer)).toContain('004')
    expect(answer).toMatchObject({ not_covered: expect.stringContaining('SQL injection') as string })
  })
})
