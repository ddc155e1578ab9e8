import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline'
import { Client as NewClient } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { createServer, serveStdio } from '@causeway/engine'
import { toolkit } from '@causeway/packs/toolkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dialect, repository } from './world.ts'

/** What both clients ask of a transport. */
interface Pipe {
  onmessage?: (message: never) => void
  onclose?: () => void
  start(): Promise<void>
  send(message: unknown): Promise<void>
  close(): Promise<void>
}

/** The pack on a pair of pipes, a message a line, as it is served to a client that spawned it. */
function pipe(root: string): Pipe {
  const input = new PassThrough()
  const output = new PassThrough()
  const server = createServer({ name: 'paiml-mcp-agent-toolkit', version: '0.5.3', dialect })
  server.mount(toolkit({ roots: [root], documented: true }))
  const served = serveStdio(server, { input, output })
  const made: Pipe = {
    start: () => {
      createInterface({ input: output }).on('line', line => made.onmessage?.(JSON.parse(line) as never))
      return Promise.resolve()
    },
    send: message => {
      input.write(`${JSON.stringify(message)}\n`)
      return Promise.resolve()
    },
    close: async () => {
      input.end()
      await served
      made.onclose?.()
    },
  }
  return made
}

/** The little that both clients have in common. */
interface Common {
  connect(transport: never): Promise<void>
  close(): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  listResources(): Promise<{ resources: unknown[] }>
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>
}

const about = { name: 'test', version: '1.0.0' }
const clients: [string, () => Common][] = [
  ['the v1 client', () => new OldClient(about)],
  ['the v2 client', () => new NewClient(about)],
]

const DOCUMENTED = [
  'generate_template',
  'list_templates',
  'validate_template',
  'scaffold_project',
  'search_templates',
  'analyze_complexity',
  'analyze_code_churn',
]

describe.each(clients)('%s', (_, make) => {
  async function connected(): Promise<{
    client: Common
    root: string
    call: (name: string, args: object) => Promise<unknown>
  }> {
    const { root, commit } = repository()
    commit({ 'src/main.rs': 'fn main() { if a && b { c()?; } }\n' })
    const client = make()
    await client.connect(pipe(root) as never)
    onTestFinished(() => client.close())
    const call = async (name: string, args: object): Promise<unknown> => {
      const { content } = (await client.callTool({ name, arguments: args as never })) as { content: { text: string }[] }
      expect(content).toHaveLength(1)
      return content[0]?.text
    }
    return { client, root, call }
  }

  test('uses all seven documented tools', async () => {
    const { client, call } = await connected()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(DOCUMENTED)
    const template = { resource_uri: 'template://makefile/rust/cli', parameters: { project_name: 'demo' } }
    expect(await call('generate_template', template)).toContain('BINARY := demo')
    expect(JSON.parse((await call('list_templates', { toolchain: 'rust' })) as string)).toHaveLength(3)
    expect(await call('validate_template', template)).toBe('{"valid":true,"errors":[]}')
    const scaffold = { toolchain: 'go', templates: ['makefile'], parameters: { project_name: 'demo' } }
    expect(await call('scaffold_project', scaffold)).toContain('demo/Makefile')
    expect(await call('search_templates', { query: 'readme' })).toContain('"relevance"')
    const complexity = (await call('analyze_complexity', {
      project_path: '.',
      toolchain: 'rust',
      format: 'json',
    })) as string
    expect(JSON.parse(complexity)).toMatchObject({ summary: { total_functions: 1, max_cyclomatic: 4 } })
    const churn = (await call('analyze_code_churn', { project_path: '.', format: 'json' })) as string
    expect(JSON.parse(churn)).toMatchObject({ summary: { total_commits: 1 }, files: [{ path: 'src/main.rs' }] })
  })

  test('hears the documented errors', async () => {
    const { call } = await connected()
    const generate = (resource_uri: string, parameters: object): Promise<unknown> =>
      call('generate_template', { resource_uri, parameters })
    await expect(generate('template://makefile/cobol/cli', {})).rejects.toMatchObject({ code: -32000 })
    await expect(generate('template://../etc', {})).rejects.toMatchObject({ code: -32001 })
    await expect(generate('template://makefile/rust/cli', {})).rejects.toMatchObject({ code: -32002 })
    await expect(call('analyze_code_churn', { project_path: '/' })).rejects.toMatchObject({ code: -32602 })
  })

  test('reads resources and prompts', async () => {
    const { client } = await connected()
    expect((await client.listResources()).resources).toHaveLength(15)
    expect((await client.readResource({ uri: 'template://gitignore/deno/cli' })).contents).toHaveLength(1)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'scaffold-rust-project',
      'scaffold-deno-project',
      'scaffold-python-project',
    ])
    const asked = { name: 'scaffold-rust-project', arguments: { project_name: 'demo', project_type: 'cli' } }
    expect((await client.getPrompt(asked)).messages).toHaveLength(1)
  })
})
