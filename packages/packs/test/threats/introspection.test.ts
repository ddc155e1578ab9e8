import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { ownPatterns, threats } from '@causeway/packs/threats'
import { Compile } from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readFolder } from '../../src/threats/knowledge/files.ts'
import { readSamples } from '../../src/threats/knowledge/samples.ts'
import { SCHEMAS } from '../../src/threats/knowledge/schema.ts'
import { cases } from './evaluation.ts'

const client = connect(createServer({ name: 'test', version: '1.0.0' }).add(threats()))

describe('tmkb_schema', () => {
  test('gives the schema of a pattern, of samples and of an answer', async () => {
    expect(await client.call('tmkb_schema', {})).toEqual(SCHEMAS.pattern)
    for (const of of ['pattern', 'samples', 'answer'])
      expect(await client.call('tmkb_schema', { of })).toEqual(SCHEMAS[of])
    await expect(client.call('tmkb_schema', { of: 'patern' })).rejects.toThrow("Did you mean 'pattern'?")
  })

  test('describes our own patterns and samples', async () => {
    const [pattern, samples] = [Compile(SCHEMAS.pattern ?? {}), Compile(SCHEMAS.samples ?? {})]
    const bad = (await readFolder(ownPatterns)).filter(({ pattern: value }) => !pattern.Check(value))
    expect(bad.map(({ file, pattern: value }) => [file, pattern.Errors(value)])).toEqual([])
    const files = await readSamples(ownPatterns)
    expect(files).toHaveLength(43)
    expect(files.filter(({ content }) => !samples.Check(content)).map(({ file }) => file)).toEqual([])
    expect(pattern.Check({ id: 'X-1' })).toBe(false)
  })

  test('describes the answers of tmkb_query', async () => {
    const answer = Compile(SCHEMAS.answer ?? {})
    for (const context of ['sort numbers', 'count words in a file', ...cases.map(one => one.context)])
      for (const more of [{}, { framework: 'rails' }, { framework: 'express' }])
        expect(answer.Check(await client.call('tmkb_query', { context, ...more })), context).toBe(true)
  })
})

const good = await readFile(join(ownPatterns, '007-sequential-ids.yaml'), 'utf8')

describe('tmkb_validate', () => {
  const validate = async (pattern: string): Promise<{ valid: boolean; findings: { level: string; what: string }[] }> =>
    (await client.call('tmkb_validate', { pattern })) as never

  test('a good pattern is valid, as YAML and as JSON', async () => {
    const renamed = good.replace('id: TMKB-AUTHZ-007', 'id: OWN-AUTHZ-001')
    expect(await validate(renamed)).toEqual({ valid: true, findings: [] })
    expect(await validate(JSON.stringify(parse(renamed)))).toEqual({ valid: true, findings: [] })
  })

  test('an id that is taken is a warning, a relative that is not there an error', async () => {
    expect(await validate(good)).toEqual({
      valid: true,
      findings: [{ level: 'warning', what: "id 'TMKB-AUTHZ-007' is taken by a pattern of the knowledge base" }],
    })
    const { valid, findings } = await validate(good.replace(/id: TMKB-AUTHZ-0(?!07)\d\d/, 'id: TMKB-AUTHZ-999'))
    expect(valid).toBe(false)
    expect(findings).toContainEqual({
      level: 'error',
      what: "related_patterns names 'TMKB-AUTHZ-999', which there is not",
    })
  })

  test.each([
    ['threat_pattern: [', /./],
    ['name: x', /must have one key, threat_pattern/],
    ['threat_pattern: 5', /threat_pattern must be a map/],
    ['threat_pattern: { id: x }', /id 'x' must be capitals and digits joined by hyphens/],
    ['threat_pattern: { related_patterns: [null, 5, {}] }', /id is required/],
    [`a: &a [x]\n${'b: [*a, *a, *a, *a]\n'.repeat(200)}`, /./],
  ])('%j is not valid', async (text, what) => {
    const { valid, findings } = await validate(text)
    expect(valid).toBe(false)
    expect(findings.map(finding => finding.what).join('\n')).toMatch(what)
  })

  test('what is too long is refused unread', async () => {
    await expect(validate('x'.repeat(50_001))).rejects.toThrow('must not have more than 50000 characters')
  })
})
