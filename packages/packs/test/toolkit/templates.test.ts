import { createHash } from 'node:crypto'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, estimateTokens, versions } from '@causeway/engine'
import type { RpcError } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { createEdits, workstation } from '@causeway/packs/workstation'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { call, client, folder, repository, structured, textOf, write } from './world.ts'

const NINE = ['rust', 'deno', 'python-uv'].flatMap(toolchain =>
  ['makefile', 'readme', 'gitignore'].map(category => `template://${category}/${toolchain}/cli`),
)
const OLDEST = versions.at(-1) ?? ''

interface Row {
  readonly uri: string
  readonly name: string
  readonly category: string
  readonly toolchain: string
  readonly relevance: number
  readonly parameters: { readonly name: string }[]
}

async function rows(name: string, args: Record<string, unknown>): Promise<Row[]> {
  return JSON.parse(textOf(await call(client(), name, args))) as Row[]
}

describe('generate_template', () => {
  const arguments_ = {
    resource_uri: 'template://makefile/rust/cli',
    parameters: { project_name: 'my-project', has_tests: true },
  }

  test.each(versions)('answers with the file itself, as one text block, in %s', async version => {
    const result = await call(client({}, { version }), 'generate_template', arguments_)
    const file = textOf(result)
    expect(file).toContain('my-project')
    expect(file).toContain('$(CARGO) build')
    expect(file).toMatch(/^\t\$\(CARGO\) test/m)
    const value = {
      content: file,
      filename: 'my-project/Makefile',
      checksum: createHash('sha256').update(file).digest('hex'),
      toolchain: 'rust',
    }
    expect(result.structuredContent).toEqual(structured(version, value))
  })

  test('applies declared defaults', async () => {
    const parameters = { project_name: 'x' }
    const withDefault = await call(client(), 'generate_template', { ...arguments_, parameters })
    expect(textOf(withDefault)).toContain('\ntest:')
    const without = await call(client(), 'generate_template', {
      ...arguments_,
      parameters: { ...parameters, has_tests: false },
    })
    expect(textOf(without)).not.toContain('\ntest:')
  })

  test('escapes nothing as HTML, and what make would read as its own', async () => {
    const parameters = { project_name: 'x', default_args: `--a="b" <c> & $(shell id) #d` }
    const made = textOf(await call(client(), 'generate_template', { ...arguments_, parameters }))
    expect(made).toContain(`ARGS ?= --a="b" <c> & $$(shell id) \\#d`)
  })

  test.each([
    ['template://makefile/rust/cli', { project_name: 'x', unheard: 1, constructor: 'c' }],
    ['template://gitignore/go/cli', { project_name: '../x' }],
    ['template://gitignore/go/cli', { project_name: 'x' }],
    ['template://readme/node/cli', {}],
    ['template://readme/node/cli', { project_name: 'x', features: 'many' }],
  ])('accepts of %s with %j what validate_template does', async (resource_uri, parameters) => {
    const to = client()
    const { valid, errors } = (await to.call('validate_template', { resource_uri, parameters })) as {
      valid: boolean
      errors: string[]
    }
    const refused = await call(to, 'generate_template', { resource_uri, parameters }).then(
      () => [],
      (error: RpcError) => (error.data as { errors: string[] }).errors,
    )
    expect(refused).toEqual(errors)
    expect(valid).toBe(errors.length === 0)
  })

  test('shares parameters among the files of a project, if one of them takes them', async () => {
    const to = client()
    const scaffold = (parameters: object): Promise<unknown> =>
      to.call('scaffold_project', { toolchain: 'rust', templates: ['makefile', 'readme'], parameters })
    const shared = { project_name: 'x', description: 'y', has_tests: false }
    expect(await scaffold(shared)).toMatchObject({ files: { length: 2 } })
    await expect(scaffold({ ...shared, has_test: true })).rejects.toMatchObject({
      code: -32002,
      message: expect.stringMatching(/Unknown parameter 'has_test'\. Did you mean 'has_tests'/),
    })
  })

  test.each([
    [{}, /Missing required parameter 'project_name' \(string\)/],
    [{ project_name: 7 }, /'project_name' must be a string, got 7/],
    [{ project_name: 'x', has_tests: 'yes' }, /'has_tests' must be true or false, got 'yes'/],
    [{ project_name: 'x', features: 'a' }, /'features' must be an array of strings/],
    [{ project_name: 'x', features: ['ok', '$(rm)'] }, /'features' must match .* got '\$\(rm\)'/],
    [{ project_name: '../../etc' }, /'project_name' must match/],
    [{ project_name: 'x\n\techo' }, /'project_name' must match/],
  ])('refuses %j with -32002', async (parameters, message) => {
    await expect(call(client(), 'generate_template', { ...arguments_, parameters })).rejects.toMatchObject({
      code: -32002,
      message: expect.stringMatching(message),
    })
  })

  test('a project name that no template declares is checked all the same', async () => {
    const wrong = { resource_uri: 'template://gitignore/deno/cli', parameters: { project_name: '../up' } }
    await expect(call(client(), 'generate_template', wrong)).rejects.toMatchObject({ code: -32002 })
    const { structuredContent } = await call(client(), 'generate_template', { ...wrong, parameters: {} })
    expect(structuredContent).toMatchObject({ filename: 'project/.gitignore' })
  })

  test('an unknown template is -32000, with the nearest there is', async () => {
    const wrong = { resource_uri: 'template://makefile/rest/cli', parameters: {} }
    await expect(call(client(), 'generate_template', wrong)).rejects.toMatchObject({
      code: -32000,
      message: 'Template not found: template://makefile/rest/cli',
      data: { hint: expect.stringContaining('template://makefile/rust/cli') },
    })
  })

  test.each([
    'not-a-uri',
    'http://makefile/rust/cli',
    'template://',
    'template://makefile/rust',
    'template://makefile/rust/cli/more',
    'template://makefile/../cli',
    'template://../../etc/passwd',
    'template://makefile/rust/cli%2f..',
    'template://makefile//cli',
    'template://makefile/rust/cli?x=1',
    '',
  ])('a malformed URI is -32001: %j', async resource_uri => {
    for (const name of ['generate_template', 'validate_template']) {
      await expect(call(client(), name, { resource_uri, parameters: {} })).rejects.toMatchObject({ code: -32001 })
    }
  })

  test('arguments of the wrong shape are -32602, all of them at once', async () => {
    await expect(call(client(), 'generate_template', { resource_uri: 1 })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/resource_uri[^]*parameters/),
    })
  })
})

describe('list_templates', () => {
  test('lists the nine documented ones first in their groups, and those of node and go', async () => {
    const documented = (await client({ documented: true }).call('list_templates', {})) as Row[]
    const uris = documented.map(({ uri }) => uri)
    expect(uris.slice(0, 9)).toEqual(NINE)
    expect(uris).toHaveLength(15)
    const whole = textOf(await call(client(), 'list_templates', {}))
    expect(estimateTokens(whole)).toBeLessThanOrEqual(1500)
    const all = JSON.parse(whole) as { uri: string; parameters: string }[]
    expect(all[0]).toEqual({ uri: NINE[0], parameters: expect.stringMatching(/^project_name\*, has_tests, /) })
    expect([...new Set(all.map(({ uri }) => uri.split('/')[2]))]).toEqual([
      'makefile',
      'readme',
      'gitignore',
      'ci',
      'dockerfile',
      'editorconfig',
      'license',
    ])
  })

  test('filters by toolchain and by category', async () => {
    expect((await rows('list_templates', { toolchain: 'deno' })).map(r => r.uri).slice(0, 3)).toEqual(NINE.slice(3, 6))
    const readmes = await rows('list_templates', { category: 'readme' })
    expect(readmes.map(r => r.toolchain)).toEqual(['rust', 'deno', 'python-uv', 'node', 'go'])
    expect(await rows('list_templates', { toolchain: 'rust', category: 'makefile' })).toHaveLength(1)
    expect(await rows('list_templates', { toolchain: 'cobol' })).toEqual([])
  })

  test('an array where the revision has arrays, wrapped before, text always', async () => {
    const newest = await call(client(), 'list_templates', { toolchain: 'go' })
    expect(newest.structuredContent).toEqual(JSON.parse(textOf(newest)))
    const wrapped = await call(client({}, { version: '2025-11-25' }), 'list_templates', { toolchain: 'go' })
    expect(wrapped.structuredContent).toEqual({ result: JSON.parse(textOf(wrapped)) })
    const oldest = await call(client({}, { version: OLDEST }), 'list_templates', { toolchain: 'go' })
    expect(JSON.parse(textOf(oldest))).toEqual(newest.structuredContent)
  })
})

describe('validate_template', () => {
  const check = async (resource_uri: string, parameters: unknown): Promise<unknown> =>
    client().call('validate_template', { resource_uri, parameters })
  const uri = 'template://makefile/rust/cli'

  test('valid or what is wrong, everything at once, unknown parameters too', async () => {
    expect(await check(uri, { project_name: 'x' })).toEqual({ valid: true, errors: [] })
    expect(await check(uri, { has_test: true, features: [1] })).toEqual({
      valid: false,
      errors: [
        `Missing required parameter 'project_name' (string).`,
        `Parameter 'features' must be an array of strings, got [1].`,
        `Unknown parameter 'has_test'. Did you mean 'has_tests'? Supported parameters: project_name, has_tests, has_benchmarks, target, features, default_args.`,
      ],
    })
  })

  test('an unknown template is an error, not an invalid one', async () => {
    await expect(check('template://makefile/rust/gui', {})).rejects.toMatchObject({ code: -32000 })
  })
})

describe('scaffold_project', () => {
  const templates = ['makefile', 'readme', 'gitignore']
  const marks = {
    rust: ['$(CARGO) build', 'cargo install', '/target/'],
    deno: ['deno', 'deno', 'deno.lock'],
    'python-uv': ['uv', 'uv', '__pycache__'],
    node: ['node', 'npm', 'node_modules/'],
    go: ['go', 'go install', '/bin/'],
  }

  test.each(Object.entries(marks))('makes the files of a %s project', async (toolchain, expected) => {
    const parameters = { project_name: 'demo', description: 'Does <this> & that' }
    const { files } = (await client().call('scaffold_project', { toolchain, templates, parameters })) as {
      files: { path: string; content: string }[]
    }
    expect(files.map(({ path }) => path)).toEqual(['demo/Makefile', 'demo/README.md', 'demo/.gitignore'])
    expected.forEach((mark, i) => expect(files[i]?.content.toLowerCase()).toContain(mark.toLowerCase()))
    expect(files[1]?.content).toMatch(/^# demo\n\nDoes <this> & that\n/)
  })

  test.each([
    [{ toolchain: 'rust', templates: ['makefile', 'vagrantfile'] }, -32000, /'vagrantfile' for rust, only makefile/],
    [{ toolchain: 'cobol', templates }, -32000, /no toolchain 'cobol', only rust/],
    [{ toolchain: 'rust', templates, parameters: { project_name: '-x' } }, -32002, /'project_name'/],
    [{ toolchain: 'rust', templates: [] }, -32602, /templates/],
  ])('refuses %j', async (args, code, message) => {
    const whole = { parameters: { project_name: 'x', description: 'd' }, ...args }
    await expect(call(client(), 'scaffold_project', whole)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })

  const whole = { toolchain: 'rust', templates, parameters: { project_name: 'demo', description: 'd' } }

  test('writes nothing unless it is told to, and then below the root', async () => {
    const root = folder()
    const to = client({ roots: [root] })
    await to.call('scaffold_project', whole)
    expect(existsSync(join(root, 'demo'))).toBe(false)
    expect(await to.call('scaffold_project', { ...whole, write: true })).toMatchObject({ written: true })
    expect(readFileSync(join(root, 'demo/Makefile'), 'utf8')).toContain('BINARY := demo')
  })

  test('replaces nothing: one file in the way, and none is written', async () => {
    const root = write(folder(), { 'demo/README.md': 'mine' })
    const to = client({ roots: [root] })
    await expect(to.call('scaffold_project', { ...whole, write: true })).rejects.toThrow(
      /'demo\/README.md' exists already/,
    )
    expect(readFileSync(join(root, 'demo/README.md'), 'utf8')).toBe('mine')
    expect(existsSync(join(root, 'demo/Makefile'))).toBe(false)
  })

  test('does not write through a link that leads out', async () => {
    const root = folder()
    const outside = folder()
    symlinkSync(outside, join(root, 'demo'))
    await expect(client({ roots: [root] }).call('scaffold_project', { ...whole, write: true })).rejects.toThrow(
      /outside/,
    )
    expect(existsSync(join(outside, 'Makefile'))).toBe(false)
  })

  const place = { toolchain: 'node', parameters: { project_name: 'app' }, write: true }

  test('writes into the folder it is told, keeps what is there, runs CI there from the top, and is undone', async () => {
    const { root, commit } = repository()
    commit({ 'packages/app/README.md': 'mine\n', '.github/workflows/ci.yml': 'name: other\n' })
    const edits = createEdits()
    const server = createServer({ name: 'scaffold', version: '1' })
    server.mount(toolkit({ roots: [root], edits }))
    server.mount(workstation({ roots: [root], edits, plainArguments: true }))
    const to = connect(server)
    const asked = { ...place, templates: ['makefile', 'readme', 'ci'], path: 'packages/app' }
    const made = (await to.call('scaffold_project', asked)) as { files: { path: string }[]; kept: string[] }
    expect(made.files.map(({ path }) => path)).toEqual(['packages/app/Makefile', '.github/workflows/ci-app.yml'])
    expect(made.kept).toEqual(['packages/app/README.md'])
    for (const { path } of made.files) expect(textOf(await call(to, 'read_file', { path }))).toContain('node')
    const workflow = readFileSync(join(root, '.github/workflows/ci-app.yml'), 'utf8')
    expect(parse(workflow)).toMatchObject({ defaults: { run: { 'working-directory': 'packages/app' } } })
    expect(textOf(await call(to, 'undo_edit', {}))).toContain('Undid scaffold_project of 2 files')
    expect(existsSync(join(root, 'packages/app/Makefile'))).toBe(false)
    expect(existsSync(join(root, '.github/workflows/ci-app.yml'))).toBe(false)
    expect(readFileSync(join(root, 'packages/app/README.md'), 'utf8')).toBe('mine\n')
    const top = { ...place, templates: ['ci', 'editorconfig'], path: '.' }
    expect(await to.call('scaffold_project', top)).toMatchObject({
      files: [{ path: '.editorconfig' }],
      kept: ['.github/workflows/ci.yml'],
    })
    to.close()
  })

  test('a folder without a repository around it gets CI itself; one outside is refused', async () => {
    const root = folder()
    const to = client({ roots: [root] })
    const asked = { ...place, templates: ['ci'], path: 'new' }
    expect(await to.call('scaffold_project', asked)).toMatchObject({
      files: [{ path: 'new/.github/workflows/ci.yml' }],
    })
    await expect(to.call('scaffold_project', { ...asked, path: '../out' })).rejects.toThrow('outside')
    await expect(to.call('scaffold_project', { ...asked, path: '.git/hooks' })).rejects.toThrow('git directory')
  })

  test('a read-only server cannot write at all', async () => {
    const root = folder()
    const to = client({ roots: [root], readOnly: true })
    await expect(to.call('scaffold_project', { ...whole, write: true })).rejects.toMatchObject({ code: -32602 })
    expect(await to.call('scaffold_project', whole)).toMatchObject({ files: expect.any(Array) })
  })
})

describe('search_templates', () => {
  test('best first, with a relevance', async () => {
    const found = await rows('search_templates', { query: 'rust makefile' })
    expect(found[0]?.uri).toBe('template://makefile/rust/cli')
    const scores = found.map(({ relevance }) => relevance)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores.every(score => score > 0)).toBe(true)
  })

  test('filters by toolchain, forgives a typo, finds by parameter, and may find nothing', async () => {
    const deno = await rows('search_templates', { query: 'makefile', toolchain: 'deno' })
    expect(deno.map(({ uri }) => uri)).toEqual(['template://makefile/deno/cli'])
    expect((await rows('search_templates', { query: 'pyhton' }))[0]?.toolchain).toBe('python-uv')
    expect((await rows('search_templates', { query: 'permissions' }))[0]?.uri).toBe('template://makefile/deno/cli')
    expect(await rows('search_templates', { query: 'zzzzqq' })).toEqual([])
  })
})

describe('resources', () => {
  test('are listed as documented', async () => {
    const { resources } = await client().request('resources/list')
    expect(resources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          uri: 'template://makefile/rust/cli',
          name: 'Rust CLI Makefile',
          description: 'Professional Makefile template for Rust CLI projects',
          mimeType: 'text/x-makefile',
        }),
      ]),
    )
  })

  test.each(NINE)('%s can be read', async uri => {
    const { contents } = await client().request('resources/read', { uri })
    expect(contents).toEqual([{ uri, mimeType: expect.stringMatching(/^text\//), text: expect.stringMatching(/\S/) }])
  })

  test.each([
    ['template://makefile/cobol/cli', -32000],
    ['template://makefile/../cli', -32001],
    ['template://makefile/rust', -32001],
    ['template://makefile/rust/cli/../../x', -32001],
  ])('%s is %d', async (uri, code) => {
    await expect(client().request('resources/read', { uri })).rejects.toMatchObject({ code })
  })

  test('the parts of the URI are completed, each to fit the others', async () => {
    const to = client()
    const { resourceTemplates } = await to.request('resources/templates/list')
    const [family] = resourceTemplates as { uriTemplate: string }[]
    expect(family?.uriTemplate).toBe('template://{category}/{toolchain}/{variant}')
    const complete = async (name: string, value: string, others: object = {}): Promise<unknown> => {
      const { completion } = await to.request('completion/complete', {
        ref: { type: 'ref/resource', uri: family?.uriTemplate },
        argument: { name, value },
        context: { arguments: others },
      })
      return (completion as { values: unknown }).values
    }
    expect(await complete('category', 'm')).toEqual(['makefile'])
    expect(await complete('toolchain', '', { category: 'readme' })).toEqual(['rust', 'deno', 'python-uv', 'node', 'go'])
    expect(await complete('variant', '', { category: 'readme', toolchain: 'cobol' })).toEqual([])
  })
})

describe('prompts', () => {
  test.each([
    ['scaffold-rust-project', { has_tests: 'false' }, '"has_tests": false'],
    ['scaffold-deno-project', { permissions: '--allow-net, --allow-read' }, '"--allow-net"'],
    ['scaffold-python-project', { python_version: '3.13' }, '"python_version": "3.13"'],
  ])('%s has messages', async (name, more, expected) => {
    const { messages } = await client().request('prompts/get', {
      name,
      arguments: { project_name: 'demo', project_type: 'cli', ...more },
    })
    const [first] = messages as { role: string; content: { type: string; text: string } }[]
    expect(first?.role).toBe('user')
    expect(first?.content.text).toContain('demo')
    expect(first?.content.text).toContain(expected)
    expect(first?.content.text).toContain('scaffold_project')
  })

  test('what they say to call works', async () => {
    const to = client()
    const { messages } = await to.request('prompts/get', {
      name: 'scaffold-deno-project',
      arguments: { project_name: 'demo', project_type: 'cli', permissions: '--allow-net' },
    })
    const [first] = messages as { content: { text: string } }[]
    const args = JSON.parse(/^\{[^]*?^\}/m.exec(first?.content.text ?? '')?.[0] ?? '') as Record<string, unknown>
    expect(await to.call('scaffold_project', args)).toMatchObject({ files: { length: 3 } })
  })

  test.each([
    ['scaffold-rust-project', { project_type: 'banana' }, /'project_type' must be cli or library-crate, got 'banana'/],
    ['scaffold-rust-project', { has_tests: 'maybe' }, /'has_tests' must be true or false, got 'maybe'/],
    ['scaffold-rust-project', { has_test: 'true' }, /Unknown argument 'has_test'\. Did you mean 'has_tests'/],
    ['scaffold-deno-project', { project_name: '../x' }, /'project_name' must match/],
    ['scaffold-deno-project', { permissions: '--allow-net $(x)' }, /Each of 'permissions' must match/],
    ['scaffold-python-project', { python_version: 'three' }, /'python_version' must match/],
  ])('%s refuses %j', async (name, more, message) => {
    const given = { project_name: 'demo', project_type: 'cli', ...more }
    await expect(client().request('prompts/get', { name, arguments: given })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    })
  })

  test('lack nothing: a missing argument is -32602', async () => {
    await expect(
      client().request('prompts/get', { name: 'scaffold-rust-project', arguments: {} }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(/project_name[^]*project_type/) })
  })
})

describe('more templates', () => {
  const front = `---
name: Rust service Dockerfile
description: Container image
mimeType: text/x-dockerfile
file: Dockerfile
parameters:
  - { name: port, type: number, default: 80, description: Port }
---
EXPOSE {{ port }}
`

  test('of a folder are served with ours, and may replace them', async () => {
    const templates = [
      write(folder(), {
        'dockerfile/rust/cli.liquid': front,
        'gitignore/go/cli.liquid': front.replace('EXPOSE {{ port }}', 'mine'),
      }),
    ]
    const to = client({ templates })
    const made = await call(to, 'generate_template', {
      resource_uri: 'template://dockerfile/rust/cli',
      parameters: { port: 8080 },
    })
    expect(textOf(made)).toBe('EXPOSE 8080\n')
    const { contents } = await to.request('resources/read', { uri: 'template://gitignore/go/cli' })
    expect(contents).toMatchObject([{ text: 'mine\n' }])
  })

  test.each([
    ['no front matter', 'EXPOSE', /must begin with front matter/],
    ['an unknown key', front.replace('file:', 'files:'), /unknown key 'files'/],
    ['an unknown type', front.replace('type: number', 'type: port'), /'type' of port must be one of/],
    ['a default that does not fit', front.replace('80,', 'eighty,'), /default of port does not fit/],
    ['a path for a name', front.replace('file: Dockerfile', 'file: ../x'), /'file' must be the name of a file/],
    ['a broken pattern', front.replace('default: 80', "default: 80, pattern: '('"), /Invalid regular expression/],
  ])('with %s are refused by name', (_, content, message) => {
    const templates = [write(folder(), { 'dockerfile/rust/cli.liquid': content })]
    expect(() => client({ templates })).toThrow(message)
    expect(() => client({ templates })).toThrow(/dockerfile\/rust\/cli\.liquid/)
  })

  test('cannot reach the prototype, files or time without end', async () => {
    const body = (liquid: string): string => front.replace('EXPOSE {{ port }}', liquid)
    const templates = [
      write(folder(), {
        'evil/rust/proto.liquid': body('{{ port.constructor }}'),
        'evil/rust/file.liquid': body("{% include '/etc/passwd' %}"),
        'evil/rust/loop.liquid': body('{% for i in (1..100000000) %}{{ i }}{% endfor %}'),
      }),
    ]
    const to = client({ templates })
    for (const variant of ['proto', 'file', 'loop']) {
      const wrong = { resource_uri: `template://evil/rust/${variant}`, parameters: {} }
      await expect(call(to, 'generate_template', wrong)).rejects.toMatchObject({ code: -32603 })
    }
  })
})
