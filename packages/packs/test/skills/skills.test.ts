import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer } from '@causeway/engine'
import type { Params, Result, Server, Skill, SkillFile } from '@causeway/engine'
import { maskResults, resultLimit, spotlight } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { skills } from '@causeway/packs/skills'
import type { SkillsSource } from '@causeway/packs/skills'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const main = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does what ${name} is for\n${more}---\n\n# ${name}\n`
const digestOf = (bytes: Uint8Array | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const bytesOf = ({ contents }: Result): Buffer => {
  const [{ text, blob }] = contents as [{ text?: string; blob?: string }]
  return text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text)
}

let folder: string
let source: SkillsSource | undefined
let problems: unknown[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skills-'))
  problems = []
})
afterEach(() => source?.close())

function write(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), contents)
}

async function served(watch = false, folders = [folder]): Promise<Server> {
  const log = (_level: string, _message: string, fields?: Params): void => void problems.push(fields?.problem)
  source = await skills({ folders, watch, log })
  const server = createServer({ name: 'near', version: '1', log: false })
  server.mount(source)
  return server
}

const listOf = async (server: Server, version?: string): Promise<Skill[]> =>
  (await connect(server, version === undefined ? {} : { version }).request('skills/list')).skills as Skill[]

describe.each(['2025-11-25', '2026-07-28'])('to a client of %s', version => {
  test('each skill is listed with its front matter and a digest of every file, those of nested skills too', async () => {
    write('refunds/SKILL.md', main('refunds', 'license: MIT\nmetadata:\n  level: 3\n  tags: [a, "b"]\n'))
    write('refunds/letters/sorry you.md', 'Sorry.')
    write('refunds/deep/SKILL.md', main('deep'))
    write('refunds/logo.bin', Buffer.from([0, 255, 1]))
    write('refunds/.hidden', 'no')
    write('acme/billing/pay/SKILL.md', main('pay'))
    const client = connect(await served(), { version })
    const { skills: listed } = (await client.request('skills/list')) as unknown as { skills: Skill[] }
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://acme/billing/pay/SKILL.md',
      'skill://refunds/SKILL.md',
      'skill://refunds/deep/SKILL.md',
    ])
    expect(listed[1]?.frontmatter).toEqual({
      name: 'refunds',
      description: 'Does what refunds is for',
      license: 'MIT',
      metadata: { level: 3, tags: ['a', 'b'] },
    })
    const files = listed[1]?.resources
    if (!Array.isArray(files)) throw new Error('no files')
    expect(files.map(({ uri }) => uri)).toEqual([
      'skill://refunds/SKILL.md',
      'skill://refunds/deep/SKILL.md',
      'skill://refunds/letters/sorry%20you.md',
      'skill://refunds/logo.bin',
    ])
    for (const { uri, digest, size } of files) {
      const bytes = bytesOf(await client.request('resources/read', { uri }))
      expect([digestOf(bytes), bytes.length]).toEqual([digest, size])
    }
    expect(await client.request('skills/get', { uri: 'skill://refunds/SKILL.md' })).toMatchObject({ skill: listed[1] })
    const { resources } = await client.request('resources/list')
    expect((resources as Params[])[1]).toMatchObject({
      uri: 'skill://refunds/SKILL.md',
      name: 'refunds',
      mimeType: 'text/markdown',
    })
  })

  test('a directory is read one level at a time', async () => {
    write('acme/refunds/SKILL.md', main('refunds'))
    write('acme/refunds/letters/eu/one.md', '1')
    write('acme/refunds/letters/two.txt', '22')
    const client = connect(await served(), { version })
    const read = async (uri: string): Promise<unknown> =>
      (await client.request('resources/directory/read', { uri })).resources
    expect(await read('skill://acme')).toEqual([
      { uri: 'skill://acme/refunds', name: 'refunds', mimeType: 'inode/directory' },
    ])
    expect(await read('skill://acme/refunds/letters')).toEqual([
      { uri: 'skill://acme/refunds/letters/eu', name: 'eu', mimeType: 'inode/directory' },
      { uri: 'skill://acme/refunds/letters/two.txt', name: 'two.txt', mimeType: 'text/plain', size: 2 },
    ])
    for (const uri of ['skill://acme/refunds/SKILL.md', 'skill://none', 'skill:', 'skill://acme/refunds/', 7])
      await expect(client.request('resources/directory/read', { uri })).rejects.toMatchObject({ code: -32602 })
    await expect(client.request('skills/get', { uri: 'skill://acme/refunds' })).rejects.toMatchObject({ code: -32602 })
  })
})

test('what is read is never masked, fenced or cut short', async () => {
  const secret = `token = "ghp_${'a1B2c3D4e5F6'.repeat(3)}"\u200b`
  write('ci/SKILL.md', main('ci') + secret + 'x'.repeat(200_000))
  const server = await served()
  server.use(spotlight(), maskResults({ strict: true }), resultLimit(1000))
  const [{ resources } = { resources: 'dynamic' }] = await listOf(server)
  const { uri, digest } = (resources as readonly SkillFile[])[0] ?? { uri: '', digest: '' }
  expect(digestOf(bytesOf(await connect(server).request('resources/read', { uri })))).toBe(digest)
})

test('the extension is declared with the first source of skills', async () => {
  const server = createServer({ name: 'near', version: '1', log: false })
  await expect(connect(server).request('skills/list')).rejects.toMatchObject({ code: -32601 })
  write('a/SKILL.md', main('a'))
  source = await skills({ folders: [folder], watch: false })
  server.mount(source)
  const { capabilities } = await connect(server).request('server/discover')
  expect(capabilities).toMatchObject({
    resources: {},
    extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
  })
})

const BROKEN: readonly [what: string, make: () => void, why: string][] = [
  ['a file without front matter', () => write('a/SKILL.md', '# a'), 'front matter'],
  ['front matter that does not end', () => write('a/SKILL.md', '---\nname: a\n'), 'front matter'],
  ['front matter that is a list', () => write('a/SKILL.md', '---\n- a\n---\n'), 'not an object'],
  ['front matter that is no YAML', () => write('a/SKILL.md', '---\na: [\n---\n'), 'a'],
  ['a name that is not that of the folder', () => write('a/SKILL.md', main('b')), "not called 'b'"],
  ['a name with capitals', () => write('A/SKILL.md', main('A')), 'not a name'],
  ['no description', () => write('a/SKILL.md', '---\nname: a\n---\n'), 'no "description"'],
  ['a long description', () => write('a/SKILL.md', main('a', `more: 1\n`).replace('Does', 'x'.repeat(1100))), '1024'],
  ['aliases without end', () => write('a/SKILL.md', main('a', bomb())), 'alias'],
  ['a link out', () => linked('/etc/hostname', 'a/host'), 'leads outside'],
  ['a link to a folder out', () => linked('/etc', 'a/etc'), 'leads outside'],
  ['a link to nothing', () => linked('nothing', 'a/none'), 'a/none'],
  ['a link to itself', () => linked('self', 'a/self'), 'a/self'],
  ['a link to a folder', () => linked('../more', 'a/more'), 'does not lead to a file'],
  [
    'too many bytes',
    () => (write('a/SKILL.md', main('a')), write('a/big', Buffer.alloc(16 * 1024 * 1024))),
    '16777216',
  ],
  ['a deep folder', () => (write('a/SKILL.md', main('a')), write(`a/${'b/'.repeat(20)}c`, '')), 'folders deep'],
]

function bomb(): string {
  const levels = 'bcdefghij'.split('').map(
    (l, i, all) =>
      `${l}: &${l} [${Array(9)
        .fill(`*${all[i - 1] ?? 'z'}`)
        .join(',')}]\n`,
  )
  return `z: &z [1]\n${levels.join('')}`
}

function linked(to: string, from: string): void {
  write('a/SKILL.md', main('a'))
  write('more/file', '')
  symlinkSync(to, join(folder, from))
}

test.each(BROKEN)('a skill with %s is left out, and the log says why', async (_, make, why) => {
  make()
  write('good/SKILL.md', main('good'))
  expect((await listOf(await served())).map(({ uri }) => uri)).toEqual(['skill://good/SKILL.md'])
  expect(problems.join('\n')).toContain(why)
})

test('a link that stays in the folder gives the file it leads to', async () => {
  write('a/SKILL.md', main('a'))
  write('shared.md', 'shared')
  symlinkSync('../shared.md', join(folder, 'a/shared.md'))
  const client = connect(await served())
  expect(bytesOf(await client.request('resources/read', { uri: 'skill://a/shared.md' })).toString()).toBe('shared')
})

test('512 files are served, and no more', async () => {
  write('a/SKILL.md', main('a'))
  for (let i = 1; i < 512; i++) write(`a/${i}.txt`, String(i))
  const server = await served()
  expect((await listOf(server))[0]?.resources).toHaveLength(512)
  write('a/512.txt', '512')
  await source?.refresh()
  expect(await listOf(server)).toEqual([])
  expect(problems.join('\n')).toContain('it has 513 files; 512 are allowed')
})

test('a path that leads out of a skill, or to no file of one, is unknown', async () => {
  write('a/SKILL.md', main('a'))
  write('secret.txt', 'no')
  const client = connect(await served())
  for (const uri of ['skill://a/../secret.txt', 'skill://a/%2e%2e/secret.txt', 'skill://secret.txt', 'skill://a/none'])
    await expect(client.request('resources/read', { uri })).rejects.toMatchObject({ code: -32602 })
})

test('a file that became a link out is not read', async () => {
  write('a/SKILL.md', main('a'))
  write('a/file', 'x')
  const client = connect(await served())
  rmSync(join(folder, 'a/file'))
  symlinkSync('/etc/hostname', join(folder, 'a/file'))
  await expect(client.request('resources/read', { uri: 'skill://a/file' })).rejects.toMatchObject({ code: -32602 })
})

test('a folder that has a SKILL.md itself is one skill; of two with the same path the first is served', async () => {
  write('one/SKILL.md', main('one'))
  write('other/one/SKILL.md', main('one', 'x: 1\n'))
  const server = await served(false, [join(folder, 'one'), join(folder, 'other')])
  const listed = await listOf(server)
  expect(listed).toMatchObject([{ uri: 'skill://one/SKILL.md', frontmatter: { description: 'Does what one is for' } }])
  expect(listed[0]?.frontmatter).not.toHaveProperty('x')
  expect(problems.join()).toContain('in two of the folders')
})

test('changes of the folder are announced, and what is read is what is listed then', async () => {
  write('a/SKILL.md', main('a'))
  write('a/file', 'one')
  const server = await served(true)
  const client = connect(server, { version: '2025-11-25' })
  const [before] = (await client.request('skills/list')).skills as Skill[]
  const told = (): string => JSON.stringify(client.seen)
  write('a/file', 'two')
  await vi.waitFor(() => expect(told()).toContain('notifications/resources/list_changed'), 10_000)
  const [after] = (await client.request('skills/list')).skills as Skill[]
  expect(after?.resources).not.toEqual(before?.resources)
  write('fresh/SKILL.md', main('later'))
  renameSync(join(folder, 'fresh'), join(folder, 'later'))
  await vi.waitFor(async () => expect(await listOf(server)).toHaveLength(2), 10_000)
  rmSync(join(folder, 'a'), { recursive: true })
  await vi.waitFor(async () => expect(await listOf(server)).toMatchObject([{ uri: 'skill://later/SKILL.md' }]), 10_000)
})

test('what changed unnoticed is read as it is listed now, or not at all', async () => {
  write('a/SKILL.md', main('a'))
  write('a/file', 'one')
  const server = await served()
  const client = connect(server)
  write('a/file', 'other')
  expect(bytesOf(await client.request('resources/read', { uri: 'skill://a/file' })).toString()).toBe('other')
  const [{ resources } = { resources: 'dynamic' }] = await listOf(server)
  expect(resources).toContainEqual({ uri: 'skill://a/file', digest: digestOf('other'), size: 5 })
})

test('a folder that is not there is refused', async () => {
  await expect(skills({ folders: [join(folder, 'none')] })).rejects.toThrow('cannot be used: ENOENT')
})
