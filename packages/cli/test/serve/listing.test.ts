import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { connect } from '@causeway/engine/testing'
import type { Info } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import type { Config } from '../../src/config/config.ts'
import { overview } from '../../src/serve/instructions.ts'
import { describe, expect, test } from 'vitest'
import { readArgs } from '../../src/config/args.ts'
import { assemble } from '../../src/serve/assemble.ts'
import { readConfig } from '../../src/config/config.ts'
import { presets } from '../../src/presets/presets.ts'
import { toolsets } from '../../src/config/toolsets.ts'
import { runHere } from '../support/here.ts'

const SEARCH = ['find_tools', 'describe_tool', 'call_tool']

const served = async (line: string): Promise<Client> =>
  connect(await assemble(readConfig(readArgs([...line.split(' ').filter(Boolean), '--log-level', 'silent']), {})))
const definitions = async (line: string): Promise<readonly Info[]> =>
  (await (await served(line)).request('tools/list')).tools as readonly Info[]
const names = async (line: string): Promise<unknown[]> => (await definitions(line)).map(({ name }) => name)
const tools = (...groups: readonly string[]): readonly string[] =>
  toolsets.filter(({ name }) => groups.includes(name)).flatMap(group => group.tools)

describe('the default list', () => {
  test('has 20 to 40 tools and costs at most 6,000 tokens', async () => {
    const listed = await definitions('--allow-command *')
    expect(listed.length).toBeGreaterThanOrEqual(20)
    expect(listed.length).toBeLessThanOrEqual(40)
    expect(countTokens(JSON.stringify(listed))).toBeLessThanOrEqual(6000)
  })

  test('every pack is served: what is not listed is found, and called by its name', async () => {
    const client = await served('')
    expect(await names('')).toEqual(expect.arrayContaining(SEARCH))
    for (const tool of ['add_numbers', 'tmkb_query', 'list_teams', 'list_templates']) {
      expect(await names('')).not.toContain(tool)
      expect(JSON.parse(String(await client.call('describe_tool', { name: tool })))).toMatchObject({ name: tool })
    }
    expect(await client.call('add_numbers', { number1: 5, number2: 3 })).toEqual({ result: 8 })
    expect(await client.call('find_tools', { query: 'threats to a multi-tenant API' })).toContain('tmkb_query(')
  })

  test('is shorter where search takes over: what is pinned, and three tools', async () => {
    const listed = await definitions('--search on --allow-command *')
    expect(listed.length).toBeLessThan(15)
    expect(countTokens(JSON.stringify(listed))).toBeLessThan(2500)
    expect(await names('--search-threshold 3000')).toEqual(await names('--search on'))
    expect(await names('--search on --pin basics,git_log --exclude-tools system_echo')).toEqual([
      'add_numbers',
      'multiply_numbers',
      'system_ping',
      'generate_secret',
      'git_log',
      'get_diagnostics',
      'debug_get_server_info',
      'debug_print_env',
      'get_server_info',
      'read_result',
      ...SEARCH,
    ])
  })
})

describe('toolsets', () => {
  test('every tool of ours is in exactly one', async () => {
    const all = (await names('--preset all --allow-command * --allow-remote')).map(String)
    const grouped = toolsets.flatMap(group => group.tools)
    expect([...grouped, 'read_result'].toSorted()).toEqual(all.toSorted())
    expect(new Set(grouped).size).toBe(grouped.length)
  })

  test.each(toolsets.map(({ name }) => name))('--toolset %s lists its tools besides', async name => {
    const listed = await names(`--toolset ${name} --allow-command * --allow-remote`)
    expect(listed).toEqual(expect.arrayContaining([...tools(name), 'read_file', ...SEARCH]))
  })

  test('several, as a list or one by one; all of them leave nothing to search for', async () => {
    expect(await names('--toolset threats,cassini')).toEqual(await names('--toolset cassini --toolset threats'))
    expect(await names('--toolset all --search-threshold 100000')).toEqual(await names('--preset all'))
    expect((await runHere('list --toolset gti')).stderr).toContain("Unknown toolset 'gti'. Did you mean 'git'?")
  })

  test('what presets list and pin exists', () => {
    const known = [...toolsets.map(({ name }) => name), ...toolsets.flatMap(group => group.tools)]
    const named = presets.flatMap(({ listed = [], pinned = [] }) => listed.concat(pinned))
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(name => !known.includes(name))).toEqual([])
  })
})

describe('other flags', () => {
  test('packs and tools that are named are listed', async () => {
    expect(await names('--pack basics')).toEqual([
      'add_numbers',
      'multiply_numbers',
      'system_ping',
      'system_echo',
      'generate_secret',
      'read_result',
    ])
    expect(await names('--tools add_numbers,list_teams')).toEqual(['add_numbers', 'list_teams'])
  })

  test('what is excluded or writes is not listed, not found and not called', async () => {
    const client = await served('--read-only --exclude-tools git_log --search on')
    expect(await client.call('find_tools', { query: 'write a file', limit: 25 })).not.toMatch(/^write_file/m)
    expect(await client.call('find_tools', { query: 'git_log', limit: 25 })).not.toMatch(/^git_log/m)
    await expect(client.call('call_tool', { name: 'write_file' })).rejects.toThrow('--read-only hides')
    await expect(client.call('call_tool', { name: 'git_log' })).rejects.toThrow('left out by --exclude-tools')
    const [, , call] = (await definitions('--read-only --search on')).slice(-3)
    expect(call).toMatchObject({ name: 'call_tool', annotations: { readOnlyHint: true } })
  })

  test('presets of one system list everything, with output schemas, and have no search unless it is asked for', async () => {
    for (const preset of ['all', 'workstation', 'basics', 'cassini', 'toolkit', 'threats']) {
      expect(await names(`--preset ${preset}`)).not.toEqual(expect.arrayContaining(SEARCH))
    }
    expect(await names('--preset basics --search on')).toEqual(SEARCH)
    expect((await definitions('--preset all')).filter(({ outputSchema }) => outputSchema).length).toBeGreaterThan(10)
    expect((await definitions('')).filter(({ outputSchema }) => outputSchema)).toEqual([])
  })

  test('a pin that is no tool is refused', async () => {
    expect(await runHere('list --pin raed_file')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown tool 'raed_file'. Did you mean 'read_file'"),
    })
  })
})

describe('causeway list --tokens', () => {
  test('tells what each tool costs, and the sums', async () => {
    const { code, stdout } = await runHere('list --tokens')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^read_file +\d+ {2}listed$/m)
    expect(stdout).toMatch(/^add_numbers +\d+$/m)
    const [listed, all] = stdout.trim().split('\n').slice(-2)
    expect(listed).toMatch(/^listed +\d{4} {2}\d\d tools$/)
    expect(all).toMatch(/^served +\d{5} {2}\d\d tools$/)
  })

  test('--json has the same figures', async () => {
    const { stdout } = await runHere('list --tokens --json --pack basics')
    const costs = JSON.parse(stdout) as { tools: { tokens: number }[]; served: object; listed: object }
    const tokens = costs.tools.reduce((sum, tool) => sum + tool.tokens, 0)
    expect(costs).toMatchObject({ served: { tools: 5, tokens }, listed: { tools: 5, tokens } })
  })
})

describe('instructions', () => {
  const instructions = async (line: string): Promise<string> =>
    String((await (await served(line)).request('server/discover')).instructions)

  test('find_tools is promised only where it is certain to be listed', () => {
    const said = (search: 'auto' | 'on' | 'off', listed?: string[]): string | undefined =>
      overview({ listing: { search, ...(listed && { listed }) } } as unknown as Config, () => ['up']).instructions
    expect(said('auto')).toMatch(/^If find_tools is listed, more tools .* Servers behind this one: up\.$/)
    expect(said('on')).toMatch(/^More tools than are listed can be found with find_tools/)
    expect(said('auto', ['files'])).toMatch(/^More tools than are listed can be found with find_tools/)
    expect(said('off')).toBeUndefined()
  })

  test('by default they are short, about what is listed, and name find_tools (N H7)', async () => {
    const words = await instructions('--allow-command *')
    expect(countTokens(words)).toBeLessThanOrEqual(120)
    expect(words).toMatch(/^Files, git and builds in .*find_tools/s)
    expect(words).not.toMatch(/cassini|synthetic|tmkb|template/i)
  })

  test('a pack speaks where its tools are listed', async () => {
    expect(await instructions('--pack cassini')).toContain('CASSINI DATA IS SYNTHETIC')
    expect(await instructions('--toolset threats')).toContain('tmkb_query')
    expect(await instructions('--toolset templates,analysis')).toContain('generate_template')
    expect(await instructions('--pack basics')).toBe('undefined')
  })
})
