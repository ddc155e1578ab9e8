import { createServer, prompt, template, text, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import type { Peer } from '../support/peer.ts'
import { from, scenario } from '../support/scenario.ts'
import { ICON, META, showcase } from '../support/showcase.ts'

const since = (version: string, peer: Peer, members: object): object => (peer.version >= version ? members : {})

scenario('[S-PRM-01] prompts/list shows what the revision knows and nothing else', { server: showcase }, async peer => {
  const { prompts } = await peer.result('prompts/list')
  expect(prompts).toEqual([
    {
      name: 'brief',
      description: 'Briefs.',
      arguments: [
        { name: 'topic', description: 'What about.', required: true, ...since('2025-06-18', peer, { title: 'Topic' }) },
        { name: 'tone' },
      ],
      ...since('2025-06-18', peer, { title: 'Brief', _meta: META }),
      ...since('2025-11-25', peer, { icons: [ICON] }),
    },
  ])
})

scenario('[S-PRM-01] prompts/get fills the blanks', { server: showcase }, async peer => {
  const got = await peer.result('prompts/get', { name: 'brief', arguments: { topic: 'tides', tone: 'loudly' } })
  expect(got.description).toBe('Briefs.')
  expect((got.messages as object[])[0]).toEqual({ role: 'assistant', content: text('tides loudly') })
})

scenario(
  '[S-PRM-01] a prompt that is not there, or not filled in, is refused with everything that is wrong',
  { server: showcase },
  async peer => {
    const refuse = (params: Record<string, unknown>): Promise<unknown> => peer.error('prompts/get', params)
    expect(await refuse({ name: 'breif' })).toEqual({
      code: -32602,
      message: "Prompt not found: breif. Did you mean 'brief'?",
      data: { hint: "Did you mean 'brief'?" },
    })
    expect(await refuse({ name: 'brief', arguments: { tone: 5 } })).toEqual({
      code: -32602,
      message:
        "Invalid arguments for prompt 'brief': Missing required argument 'topic'. Argument 'tone' must be a string.",
    })
    expect(await refuse({ name: 'brief', arguments: ['tides'] })).toMatchObject({ code: -32602 })
    expect(await refuse({})).toMatchObject({ code: -32602 })
  },
)

const scripts = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    prompt({ name: 'words' }, () => 'hello'),
    prompt({ name: 'block' }, () => text('block')),
    prompt({ name: 'spelled', description: 'as listed' }, () => ({
      description: 'as asked',
      messages: [{ role: 'assistant', content: { type: 'text', text: 'one' } }, text('two')],
    })),
    prompt({ name: 'broken' }, () => {
      throw new Error('at /secret/place')
    }),
  )

scenario(
  '[S-PRM-01] words and blocks become messages of the user; a failure is internal',
  { server: scripts },
  async peer => {
    expect((await peer.result('prompts/get', { name: 'words' })).messages).toEqual([
      { role: 'user', content: text('hello') },
    ])
    expect((await peer.result('prompts/get', { name: 'block' })).messages).toEqual([
      { role: 'user', content: text('block') },
    ])
    expect(await peer.result('prompts/get', { name: 'spelled' })).toMatchObject({
      description: 'as asked',
      messages: [
        { role: 'assistant', content: text('one') },
        { role: 'user', content: text('two') },
      ],
    })
    const error = await peer.error('prompts/get', { name: 'broken' })
    expect(error).toMatchObject({ code: -32603 })
    expect(JSON.stringify(error)).not.toContain('secret')
  },
)

const hundred = (count: number): string[] => Array.from({ length: count }, (_, i) => `v${i}`)

const completing = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    prompt(
      {
        name: 'trip',
        arguments: [
          { name: 'city', complete: ['Paris', 'Porto', 'Prague'] },
          { name: 'street', complete: (typed, { city }) => [`${city ?? 'no city'}: ${typed}`] },
          { name: 'silent' },
          { name: 'exact', complete: () => hundred(100) },
          { name: 'flood', complete: async () => hundred(250) },
        ],
      },
      () => 'go',
    ),
    template(
      { uriTemplate: 'plan://{year}/{name}', name: 'plan', complete: { year: ['2025', '2026', '1999'] } },
      () => '',
    ),
  )

const PROMPT = { type: 'ref/prompt', name: 'trip' }
const PLAN = { type: 'ref/resource', uri: 'plan://{year}/{name}' }

scenario('[S-CMP-01] completion proposes values for prompts and templates', { server: completing }, async peer => {
  const complete = async (ref: object, name: string, value: string): Promise<unknown> =>
    (await peer.result('completion/complete', { ref, argument: { name, value } })).completion
  expect(await complete(PROMPT, 'city', 'p')).toEqual({
    values: ['Paris', 'Porto', 'Prague'],
    total: 3,
    hasMore: false,
  })
  expect(await complete(PROMPT, 'city', 'pO')).toEqual({ values: ['Porto'], total: 1, hasMore: false })
  expect(await complete(PROMPT, 'silent', 'x')).toEqual({ values: [], total: 0, hasMore: false })
  expect(await complete(PLAN, 'year', '20')).toEqual({ values: ['2025', '2026'], total: 2, hasMore: false })
  expect(await complete(PLAN, 'name', 'x')).toEqual({ values: [], total: 0, hasMore: false })
})

scenario('[S-CMP-01] at most a hundred values go out, and the rest is counted', { server: completing }, async peer => {
  const complete = async (name: string): Promise<unknown> =>
    (await peer.result('completion/complete', { ref: PROMPT, argument: { name, value: '' } })).completion
  expect(await complete('exact')).toEqual({ values: hundred(100), total: 100, hasMore: false })
  expect(await complete('flood')).toEqual({ values: hundred(100), total: 250, hasMore: true })
})

scenario(
  '[S-CMP-01] completion knows the other arguments',
  { server: completing, in: from('2025-06-18') },
  async peer => {
    const argument = { name: 'street', value: 'Ru' }
    const completion = async (context?: object): Promise<unknown> =>
      (await peer.result('completion/complete', { ref: PROMPT, argument, ...(context && { context }) })).completion
    expect(await completion()).toMatchObject({ values: ['no city: Ru'] })
    expect(await completion({ arguments: { city: 'Porto', junk: 5 } })).toMatchObject({ values: ['Porto: Ru'] })
    expect(await completion({ arguments: 'junk' })).toMatchObject({ values: ['no city: Ru'] })
  },
)

scenario('[S-CMP-01] what there is nothing to complete for is refused', { server: completing }, async peer => {
  const argument = { name: 'city', value: '' }
  const refuse = (params: Record<string, unknown>): Promise<unknown> => peer.error('completion/complete', params)
  expect(await refuse({ ref: { type: 'ref/prompt', name: 'nope' }, argument })).toMatchObject({ code: -32602 })
  expect(await refuse({ ref: { type: 'ref/resource', uri: 'nope://' }, argument })).toMatchObject({ code: -32602 })
  expect(await refuse({ ref: { type: 'ref/tool', name: 'x' }, argument })).toMatchObject({ code: -32602 })
  expect(await refuse({ ref: PROMPT, argument: { name: 'nope', value: '' } })).toEqual({
    code: -32602,
    message: "Invalid params: there is no argument 'nope', only city, street, silent, exact, flood",
  })
  expect(await refuse({ ref: PLAN, argument: { name: 'nope', value: '' } })).toMatchObject({ code: -32602 })
  expect(await refuse({ ref: PROMPT, argument: { name: 'city', value: 5 } })).toMatchObject({ code: -32602 })
  expect(await refuse({})).toMatchObject({ code: -32602 })
})

scenario(
  '[S-CMP-01] a server that proposes nothing has no completion',
  {
    server: () =>
      createServer({ name: 's', version: '1' }).add(
        tool({ name: 't' }, () => 'x'),
        prompt({ name: 'p', arguments: [{ name: 'a' }] }, () => 'x'),
      ),
  },
  async peer => {
    expect(await peer.error('completion/complete', { ref: PROMPT, argument: { name: 'a', value: '' } })).toEqual({
      code: -32601,
      message: 'Method not found: completion/complete',
    })
  },
)
