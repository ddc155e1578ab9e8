import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { threats } from '@causeway/packs/threats'
import { expect, test } from 'vitest'
import { settingOf } from '../../src/threats/knowledge/settings.ts'
import { cases } from './evaluation.ts'

const client = connect(createServer({ name: 'test', version: '1.0.0' }).add(threats()))

interface Answer {
  readonly code_pattern?: { readonly language: string; readonly framework: string; readonly secure_template: string }
}

async function textOf(args: Record<string, unknown>): Promise<string> {
  const { content } = await client.request('tools/call', { name: 'tmkb_query', arguments: args })
  return (content as [{ text: string }])[0].text
}

const ask = async (context: string, more: object = {}): Promise<Answer> =>
  JSON.parse(await textOf({ context, ...more })) as Answer

const codeFor = async (context: string, more: object = {}): Promise<string> => {
  const { code_pattern } = await ask(context, { ...more })
  return `${code_pattern?.language}/${code_pattern?.framework}`
}

test('the code is in the language asked for', async () => {
  const context = 'invite people and assign role'
  expect(await codeFor(context)).toBe('python/flask')
  expect(await codeFor(context, { language: 'typescript' })).toBe('typescript/express')
  expect(await codeFor(context, { language: 'javascript' })).toBe('typescript/express')
  expect(await codeFor(context, { language: 'python' })).toBe('python/flask')
})

test('the code is in the framework asked for, as an argument or in the context', async () => {
  for (const framework of ['flask', 'fastapi', 'django', 'express'])
    for (const { context } of cases.filter((_, at) => at % 5 === 0))
      expect(await codeFor(context, { framework })).toMatch(new RegExp(`/${framework}$|^undefined`))
  expect(await codeFor('an Express route that shows an invoice by id')).toBe('typescript/express')
  expect(await codeFor('FastAPI endpoint that shows an invoice by id')).toBe('python/fastapi')
  expect(await codeFor('DRF viewset for invoices')).toBe('python/django')
})

test('a person who asks about Express reads no Python', async () => {
  for (const context of ['celery worker for a tenant', 'viewset of invoices', 'Stripe webhook']) {
    const text = await textOf({ context, framework: 'express', verbosity: 'human' })
    expect(text).toContain("import express from 'express'")
    expect(text).not.toMatch(/"language": "python"/)
  }
})

test('other frameworks get advice instead of code', async () => {
  for (const [setting, expected] of [
    [{ framework: 'rails' }, 'current_user.invoices'],
    [{ language: 'ruby' }, 'current_user.invoices'],
    [{ framework: 'spring' }, 'findByIdAndOwnerId'],
    [{ language: 'java' }, 'findByIdAndOwnerId'],
    [{ framework: 'gin' }, 'c.Param'],
    [{ framework: 'nextjs' }, 'data access layer'],
  ] as const) {
    const answer = await ask('show an invoice by its id in the url', setting)
    expect(answer).toMatchObject({ advice: expect.stringContaining(expected) })
    expect(answer).not.toHaveProperty('code_pattern')
    const human = await textOf({ context: 'show an invoice by its id', verbosity: 'human', ...setting })
    expect(human).toContain(expected)
    expect(human).not.toContain('secure_code')
  }
})

test('webhooks are verified over the raw body', async () => {
  for (const [framework, raw] of [
    ['flask', 'request.get_data()'],
    ['fastapi', 'await request.body()'],
    ['django', 'request.body'],
    ['express', 'express.raw('],
  ] as const) {
    const { code_pattern } = await ask('Stripe webhook handler', { framework })
    expect(code_pattern).toMatchObject({ framework, secure_template: expect.stringContaining(raw) })
  }
})

test.each([
  ['an Express route', 'express'],
  ['a Next.js page', 'nextjs'],
  ['Ruby on Rails controller', 'rails'],
  ['Spring Boot service', 'spring'],
  ['a gin handler', 'gin'],
  ['spring cleaning of old accounts', undefined],
  ['a gin tasting', undefined],
])('%s mentions %s', (context, framework) => {
  expect(settingOf({ context }).framework).toBe(framework)
  expect(settingOf({ context, framework: 'flask' }).framework).toBe('flask')
  expect(settingOf({ context, language: 'python' }).framework).toBeUndefined()
})
