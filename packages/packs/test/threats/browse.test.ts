import { createServer, versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { threats } from '@causeway/packs/threats'
import { describe, expect, test } from 'vitest'

const opened = (documented = false, version = versions[0] ?? ''): Client =>
  connect(createServer({ name: 'test', version: '1.0.0' }).add(threats({ documented })), { version })
const client = opened()

test('the documented pack has one tool and nothing else', async () => {
  const bare = opened(true)
  expect((await bare.request('tools/list')).tools).toHaveLength(1)
  await expect(bare.request('resources/list')).rejects.toThrow('Method not found')
  await expect(bare.request('prompts/list')).rejects.toThrow('Method not found')
})

test('the whole pack says what it is for', async () => {
  const { tools } = await client.request('tools/list')
  expect(tools).toMatchObject([
    { name: 'tmkb_query', annotations: { readOnlyHint: true } },
    { name: 'tmkb_get', annotations: { readOnlyHint: true } },
    { name: 'tmkb_list', annotations: { readOnlyHint: true } },
    { name: 'tmkb_validate', annotations: { readOnlyHint: true } },
    { name: 'tmkb_schema', annotations: { readOnlyHint: true } },
  ])
  const [query] = tools as [{ inputSchema: { properties: Record<string, { enum?: string[] }> } }]
  expect(query.inputSchema.properties.language?.enum).toEqual([
    'python',
    'javascript',
    'typescript',
    'ruby',
    'java',
    'go',
  ])
  expect(query.inputSchema.properties.framework?.enum).toEqual([
    'flask',
    'fastapi',
    'django',
    'express',
    'rails',
    'spring',
    'gin',
    'nextjs',
    'any',
  ])
})

describe('tmkb_get', () => {
  test('gives the whole pattern', async () => {
    const pattern = await client.call('tmkb_get', { id: 'TMKB-AUTHZ-004' })
    expect(pattern).toMatchObject({ id: 'TMKB-AUTHZ-004', severity: 'critical', testing: {}, triggers: {} })
    expect(await client.call('tmkb_get', { id: ' tmkb-authz-004 ' })).toEqual(pattern)
  })

  test('names the nearest of an id that is not there', async () => {
    await expect(client.call('tmkb_get', { id: 'TMKB-AUTHZ-0O4' })).rejects.toThrow(
      /There is no pattern 'TMKB-AUTHZ-0O4'\. Did you mean 'TMKB-AUTHZ-0.4'/,
    )
    await expect(client.call('tmkb_get', { id: 'completely different' })).rejects.toThrow('tmkb_list shows')
  })
})

describe('tmkb_list', () => {
  interface Listed {
    readonly count: number
    readonly patterns: readonly Readonly<Record<string, string>>[]
  }
  const list = async (args: Record<string, string> = {}): Promise<Listed> =>
    (await client.call('tmkb_list', args)) as Listed

  test('gives all, the worst first', async () => {
    const { count, patterns } = await list()
    expect(count).toBeGreaterThanOrEqual(30)
    expect(patterns).toHaveLength(count)
    const severities = patterns.map(({ severity }) => severity)
    expect(severities.lastIndexOf('critical')).toBeLessThan(severities.indexOf('high'))
    expect(severities.lastIndexOf('high')).toBeLessThan(severities.indexOf('medium'))
    expect(Object.keys(patterns[0] ?? {})).toEqual([
      'id',
      'name',
      'severity',
      'likelihood',
      'tier',
      'subcategory',
      'language',
      'framework',
    ])
  })

  test('narrows by severity, and every pattern holds in every framework of its language', async () => {
    const { count } = await list()
    for (const framework of ['flask', 'fastapi', 'django', 'express', 'rails', 'nextjs'])
      expect((await list({ framework })).count).toBe(count)
    for (const language of ['python', 'typescript', 'go']) expect((await list({ language })).count).toBe(count)
    const bad = await list({ severity: 'critical' })
    expect(new Set(bad.patterns.map(({ severity }) => severity))).toEqual(new Set(['critical']))
    expect((await list({ language: 'javascript' })).count).toBe((await list({ language: 'typescript' })).count)
    expect((await list({ framework: 'any' })).count).toBe((await list()).count)
  })
})

describe('resources', () => {
  test('the index and each pattern can be read', async () => {
    expect((await client.request('resources/list')).resources).toMatchObject([{ uri: 'tmkb://patterns' }])
    expect((await client.request('resources/templates/list')).resourceTemplates).toMatchObject([
      { uriTemplate: 'tmkb://patterns/{id}', mimeType: 'application/json' },
    ])
    const read = async (uri: string): Promise<unknown> => {
      const { contents } = await client.request('resources/read', { uri })
      return JSON.parse((contents as [{ text: string }])[0].text)
    }
    const index = (await read('tmkb://patterns')) as { id: string }[]
    expect(index.length).toBeGreaterThanOrEqual(30)
    for (const { id } of index) expect(await read(`tmkb://patterns/${id}`)).toMatchObject({ id })
  })

  test('an id that is not there is not found', async () => {
    await expect(client.request('resources/read', { uri: 'tmkb://patterns/NONE' })).rejects.toThrow(
      'Resource not found: tmkb://patterns/NONE',
    )
  })

  test('ids are completed', async () => {
    const { completion } = await client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'tmkb://patterns/{id}' },
      argument: { name: 'id', value: 'tmkb-authz-01' },
    })
    expect(completion).toMatchObject({ total: 10, values: expect.arrayContaining(['TMKB-AUTHZ-010']) })
  })
})

describe('the prompt threat-review', () => {
  const review = async (args: Record<string, string>): Promise<string> => {
    const { messages } = await client.request('prompts/get', { name: 'threat-review', arguments: args })
    return (messages as [{ content: { text: string } }])[0].content.text
  }

  test('brings the threats that are known', async () => {
    const words = await review({ context: 'celery worker for a tenant', framework: 'flask' })
    expect(words).toContain('Review the authorization of this: celery worker for a tenant')
    expect(words).toContain('## TMKB-AUTHZ-001')
    expect(words).toContain('## TMKB-AUTHZ-004')
    expect(words).toMatch(/^Test: /m)
  })

  test('says what to do where none is known', async () => {
    expect(await review({ context: 'hello world' })).toContain('No threat is known for just this.')
  })

  test('completes languages and frameworks', async () => {
    const { completion } = await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'threat-review' },
      argument: { name: 'framework', value: 'f' },
    })
    expect(completion).toMatchObject({ values: ['flask', 'fastapi'] })
  })

  test('needs a context', async () => {
    await expect(review({})).rejects.toThrow("Missing required argument 'context'")
  })
})

test.each(versions)('all of it works in %s', async version => {
  const other = opened(false, version)
  const answer = await other.request('tools/call', { name: 'tmkb_get', arguments: { id: 'TMKB-AUTHZ-001' } })
  expect((answer.content as [{ text: string }])[0].text).toContain('"id":"TMKB-AUTHZ-001"')
  await expect(other.request('resources/read', { uri: 'tmkb://patterns/TMKB-AUTHZ-001' })).resolves.toBeTruthy()
  await expect(other.request('prompts/list')).resolves.toMatchObject({ prompts: [{ name: 'threat-review' }] })
})
