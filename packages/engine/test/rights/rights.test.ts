import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import { compileRights, followedRights, obeyRights, ruleLimits } from '@causeway/engine/policies'
import type { FollowedRights, RightsRule } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import type { Link, Server, View } from '@causeway/engine'
import type { Principal } from '@causeway/engine/http'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Calls } from '../../src/jsonrpc/calls.ts'
import { versions } from '../../src/protocol/revisions.ts'
import { serveValue } from '../../src/transports/serve/serve-value.ts'

const NAMES = ['git_push', 'git_log', 'read_file', 'write_file', 'search']
const HELPERS = ['find_tools', 'describe_tool', 'call_tool']
const URIS = ['file:///docs/a.md', 'file:///docs/b.md', 'file:///secret/key']
const PROMPTS = ['review', 'release']

function served(rights: FollowedRights): Server {
  const server = createServer({
    name: 'test',
    version: '1',
    log: false,
    rights,
    listing: { search: 'on', pinned: NAMES },
  })
  server.use(obeyRights(server), ruleLimits(server))
  for (const name of NAMES)
    server.add(
      tool(
        { name, description: name.replace('_', ' '), ...(name === 'git_push' && { aliases: ['push'] }) },
        () => name,
      ),
    )
  for (const uri of URIS) server.add(resource({ name: uri, uri }, () => uri))
  for (const name of PROMPTS)
    server.add(prompt({ name, arguments: [{ name: 'what', complete: () => ['all'] }] }, () => name))
  server.add(template({ name: 'notes', uriTemplate: 'note:///{id}' }, ({ id }) => `note ${id}`))
  return server
}

const names = async (client: Client, method: string, member: string, key = 'name'): Promise<unknown[]> =>
  ((await client.request(method))[member] as Record<string, unknown>[]).map(one => one[key])

interface Answer {
  readonly id: number
  readonly result?: { readonly isError?: boolean }
}

/** The end of a transport without sessions, as that of plain JSON-RPC. */
const linkOf = (principal: Principal | undefined, view: View | undefined): Link => ({
  transport: 'rpc',
  session: undefined,
  principal,
  view,
  calls: new Calls(),
  strict: false,
  direct: true,
  signal: new AbortController().signal,
  send: () => {},
})

const works = async (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

describe('the evaluator', () => {
  const decide = (rules: readonly RightsRule[], principal: Principal | undefined, tool = 'git_push'): unknown =>
    compileRights(rules).of(principal)?.decide('tools', tool)
  const allow = { tools: ['*'] }

  test('a rule that names the caller must allow it, and none may deny it', () => {
    const alice = { name: 'alice' }
    expect(decide([], alice)).toEqual({ allowed: false, rule: undefined })
    expect(decide([{ who: ['bob'], allow }], alice)).toEqual({ allowed: false, rule: undefined })
    expect(
      decide(
        [
          { who: ['bob'], deny: allow },
          { who: ['al*'], allow },
        ],
        alice,
      ),
    ).toEqual({ allowed: true, rule: 1 })
    const denying: RightsRule[] = [
      { who: ['alice'], allow },
      { who: ['*'], deny: { tools: ['git_*'] } },
    ]
    expect(decide(denying, alice)).toEqual({ allowed: false, rule: 1 })
    expect(decide(denying, alice, 'read_file')).toEqual({ allowed: true, rule: 0 })
    expect(decide([{ who: ['*'], deny: { tools: ['x'] } }], alice)).toEqual({ allowed: false, rule: undefined })
    expect(decide([{ who: ['*'], allow: { prompts: ['*'] } }], alice)).toEqual({ allowed: false, rule: undefined })
  })

  test('callers are named by name, scope and issuer; one is never taken for the other', () => {
    const named = (who: string, principal: Principal | undefined): boolean =>
      compileRights([{ who: [who], allow }])
        .of(principal)
        ?.offers('tools', 'x') === true
    const iss = 'https://login.example'
    expect(named('*', undefined)).toBe(true)
    expect(named('alice', undefined)).toBe(false)
    expect(named('a*', undefined)).toBe(false)
    expect(named('scope:repo:write', { name: 'x', scopes: ['repo:write'] })).toBe(true)
    expect(named('scope:repo:write', { name: 'scope:repo:write' })).toBe(false)
    expect(named('scope:*', { name: 'x', scopes: [] })).toBe(false)
    expect(named(`issuer:${iss}`, { name: `${iss}#alice`, claims: { iss } })).toBe(true)
    expect(named(`issuer:${iss}`, { name: `${iss}#alice` })).toBe(true)
    expect(named(`issuer:${iss}`, { name: 'alice' })).toBe(false)
  })

  test('every way to read a URI must be allowed, and one that is denied is enough', () => {
    const grant = compileRights([{ who: ['*'], allow: { resources: ['file:///docs/*', 'file:///a%20b'] } }]).of(
      undefined,
    )
    const denying = compileRights([
      { who: ['*'], allow: { resources: ['*'] }, deny: { resources: ['file:///secret/*'] } },
    ]).of(undefined)
    expect(grant?.offers('resources', 'file:///docs/x')).toBe(true)
    expect(grant?.offers('resources', 'file:///a%20b')).toBe(true)
    for (const uri of ['file:///docs/../secret/x', 'file:///docs/%2e%2e/secret/x', 'file:///docs/..%2fsecret/x']) {
      expect(grant?.offers('resources', uri), uri).toBe(false)
      expect(denying?.offers('resources', uri), uri).toBe(false)
    }
  })

  test('a family of resources is listed if one of its members may be read', () => {
    const of = (allow: string[], deny: string[] = []): boolean | undefined =>
      compileRights([{ who: ['*'], allow: { resources: allow }, deny: { resources: deny } }])
        .of(undefined)
        ?.offers('templates', 'file:///{path}')
    expect([of(['file:///docs/*']), of(['file:///*.md']), of(['*']), of(['file:///x'])]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect([of(['note:///*']), of([]), of(['*'], ['file:///*'])]).toEqual([false, false, false])
    expect(of(['*'], ['*path*', 'file:///secret/*'])).toBe(true)
  })
})

const pattern = fc.constantFrom('*', 'git_*', 'read_file', '*_file', 'search', 'find_tools', 'call_tool', '*_tool*')
const uriPattern = fc.constantFrom(
  '*',
  'file:///docs/*',
  'file:///secret/*',
  'file:///docs/a.md',
  'note:///*',
  'note:///7',
  'result://*',
)
const patterns = fc.record(
  {
    tools: fc.array(pattern, { maxLength: 3 }),
    resources: fc.array(uriPattern, { maxLength: 2 }),
    prompts: fc.array(fc.constantFrom('*', 're*', 'review'), { maxLength: 1 }),
  },
  { requiredKeys: [] },
)
const rule = fc.record(
  {
    who: fc.array(fc.constantFrom('*', 'alice', 'bob', 'scope:write', 'a*'), { minLength: 1, maxLength: 2 }),
    allow: patterns,
    deny: patterns,
  },
  { requiredKeys: ['who'] },
)
const caller = fc.constantFrom<Principal | undefined>(undefined, { name: 'alice' }, { name: 'bob', scopes: ['write'] })

describe('lists, calls, search, completion and subscriptions', () => {
  test('agree with the evaluator, whatever the rules', async () => {
    const property = fc.asyncProperty(fc.array(rule, { maxLength: 4 }), caller, async (rules, principal) => {
      const grant = compileRights(rules).of(principal)
      const may = (kind: 'tools' | 'resources' | 'prompts' | 'templates', key: string): boolean =>
        grant?.offers(kind, key) === true
      const client = connect(served(followedRights(rules)), {
        ...(principal && { principal }),
        version: '2025-11-25',
        direct: true,
      })
      const allowed = [...NAMES, ...HELPERS].filter(name => may('tools', name))
      const listed = await names(client, 'tools/list', 'tools')
      expect(new Set(listed)).toEqual(new Set(allowed))
      for (const name of NAMES) {
        expect(await works(client.call(name)), name).toBe(may('tools', name))
        expect(await works(client.request(name, {})), `directly ${name}`).toBe(may('tools', name))
        const through = client.call('call_tool', { name, arguments: {} })
        expect(await works(through), `through ${name}`).toBe(may('tools', name) && may('tools', 'call_tool'))
        if (!may('tools', 'describe_tool')) continue
        expect(await works(client.call('describe_tool', { name })), `describe ${name}`).toBe(may('tools', name))
      }
      expect(await works(client.call('push'))).toBe(may('tools', 'git_push'))
      for (const name of NAMES) {
        const search = client.call('find_tools', { query: name.replaceAll('_', ' '), limit: 25 })
        const found = await search.then(String, () => undefined)
        const isShown = found?.includes(`${name}(`) === true || found?.includes(`${name} `) === true
        expect(isShown, found).toBe(may('tools', name) && may('tools', 'find_tools'))
        expect(found !== undefined).toBe(may('tools', 'find_tools'))
      }
      const uris = await names(client, 'resources/list', 'resources', 'uri')
      expect(uris).toEqual(URIS.filter(uri => may('resources', uri)))
      for (const uri of [...URIS, 'note:///7', 'note:///8']) {
        expect(await works(client.request('resources/read', { uri })), uri).toBe(may('resources', uri))
        expect(await works(client.request('resources/subscribe', { uri })), uri).toBe(may('resources', uri))
      }
      const families = await names(client, 'resources/templates/list', 'resourceTemplates', 'uriTemplate')
      expect(families).toEqual(['note:///{id}'].filter(uri => may('templates', uri)))
      expect(await names(client, 'prompts/list', 'prompts')).toEqual(PROMPTS.filter(name => may('prompts', name)))
      for (const name of PROMPTS) {
        const argument = { name: 'what', value: '' }
        const completed = client.request('completion/complete', { ref: { type: 'ref/prompt', name }, argument })
        expect(await works(completed), name).toBe(may('prompts', name))
        expect(await works(client.request('prompts/get', { name, arguments: { what: 'x' } })), name).toBe(
          may('prompts', name),
        )
      }
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('so do batches, virtual servers and long results that are read on, whatever the rules', async () => {
    const inView = (key: string): boolean => key !== 'search' && key !== 'file:///docs/b.md'
    const view: View = { name: 'part', offers: (_, key) => inView(key) }
    const property = fc.asyncProperty(fc.array(rule, { maxLength: 4 }), caller, async (rules, principal) => {
      const may = (kind: 'tools' | 'resources', key: string): boolean =>
        compileRights(rules).of(principal)?.offers(kind, key) === true
      const server = served(followedRights(rules)).add(
        template({ name: 'results', uriTemplate: 'result://{id}' }, ({ id }) => `result ${id}`),
      )
      const asked = [
        ...NAMES.map(name => ({ kind: 'tools' as const, key: name, method: 'tools/call', params: { name } })),
        ...NAMES.map(name => ({ kind: 'tools' as const, key: name, method: name, params: {} })),
        ...[...URIS, 'note:///7', 'result://1'].map(uri => ({
          kind: 'resources' as const,
          key: uri,
          method: 'resources/read',
          params: { uri },
        })),
      ]
      for (const part of [undefined, view]) {
        const batch = asked.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
        const answers = JSON.parse((await serveValue(server, batch, linkOf(principal, part))) ?? '[]') as Answer[]
        const done = new Set(answers.flatMap(({ id, result }) => (result && result.isError !== true ? [id] : [])))
        expect(answers).toHaveLength(asked.length)
        for (const [id, { kind, key, method }] of asked.entries())
          expect(done.has(id), `${method} ${key}`).toBe(may(kind, key) && (part === undefined || inView(key)))
      }
    })
    await fc.assert(property, { numRuns: 40 })
  })

  test('a refusal is the same for what exists and what does not, and suggests nothing that is hidden', async () => {
    const rules: RightsRule[] = [{ who: ['*'], allow: { tools: ['read_file'] } }]
    for (const version of versions) {
      const client = connect(served(followedRights(rules)), { version })
      for (const name of ['git_push', 'git_pusj', 'push'])
        await expect(client.request('tools/call', { name }), version).rejects.toMatchObject({
          message: expect.stringContaining(`A caller without a token may not use the tool '${name}'`) as string,
        })
      await expect(client.request('resources/read', { uri: 'file:///x' })).rejects.toMatchObject({ code: -32006 })
    }
    const other = connect(
      served(followedRights([{ who: ['*'], allow: { tools: ['*'] }, deny: { tools: ['git_push'] } }])),
    )
    const said = await other.raw('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"git_pus"}}')
    expect(said).not.toContain('git_push')
  })

  test('rights that change hold at once, for subscriptions too', async () => {
    const allowing: RightsRule[] = [{ who: ['*'], allow: { tools: ['*'], resources: ['*'] } }]
    const rights = followedRights(allowing)
    const server = served(rights)
    const client = connect(server, { version: '2025-11-25' })
    const uri = 'file:///docs/a.md'
    await client.request('resources/subscribe', { uri })
    server.updated(uri)
    const heard = (): number =>
      client.seen.filter(one => 'method' in one && one.method === 'notifications/resources/updated').length
    expect(heard()).toBe(1)
    rights.replace([{ who: ['*'], allow: { tools: ['search'] } }])
    server.updated(uri)
    expect(heard()).toBe(1)
    expect(await names(client, 'tools/list', 'tools')).toEqual(['search'])
    await expect(client.request('tools/call', { name: 'read_file' })).rejects.toThrow('may not use')
    rights.replace(undefined)
    expect(await client.call('read_file')).toBe('read_file')
    server.updated(uri)
    expect(heard()).toBe(2)
  })
})

describe('the limits of a rule', () => {
  test('count the calls that the rule allows, by whatever name', async () => {
    const rules: RightsRule[] = [
      { who: ['*'], allow: { tools: ['git_push'] }, rate: { burst: 1, perSecond: 0.001 } },
      { who: ['*'], allow: { tools: ['*'] }, rate: { burst: 3, perSecond: 0.001 } },
    ]
    const client = connect(served(followedRights(rules)))
    expect(await client.call('push')).toBe('git_push')
    await expect(client.call('git_push')).rejects.toThrow('Rate limit exceeded: burst 1')
    for (let i = 0; i < 3; i++) expect(await client.call('search')).toBe('search')
    await expect(client.call('read_file')).rejects.toThrow('Rate limit exceeded: burst 3')
  })

  test('bound time and calls at once', async () => {
    const rights = followedRights([
      { who: ['*'], allow: { tools: ['slow'] }, concurrency: 1 },
      { who: ['*'], allow: { tools: ['late'] }, timeout: 20 },
    ])
    const server = createServer({ name: 'test', version: '1', log: false, rights })
    server.use(obeyRights(server), ruleLimits(server, { waiting: 0 }))
    let open: (value: string) => void = () => {}
    const gate = new Promise<string>(resolve => void (open = resolve))
    server.add(
      tool({ name: 'slow' }, () => gate),
      tool({ name: 'late' }, () => gate),
    )
    const client = connect(server)
    const first = client.call('slow')
    await expect(client.call('slow')).rejects.toThrow('Busy: 1 calls are running')
    await expect(client.call('late')).rejects.toThrow('timed out after 0.02 s')
    open('done')
    expect(await first).toBe('done')
  })
})
