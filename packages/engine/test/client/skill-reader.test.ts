import { createServer, resource } from '@causeway/engine'
import type { Entry, Params, Server, Skill } from '@causeway/engine'
import { RemoteServer, memoryTransport, skillReader } from '@causeway/engine/client'
import { digestOf } from '@causeway/engine/internal'
import { parse } from 'yaml'
import { expect, test } from 'vitest'

const MAIN = '---\nname: a\ndescription: Does it\n---\nBody\n'
const URI = 'skill://a/SKILL.md'
const fileOf = (uri: string, text: string): { uri: string; digest: string; size: number } => {
  const bytes = Buffer.from(text)
  return { uri, digest: digestOf(bytes), size: bytes.length }
}
const entry = (more: Params = {}): Skill => ({
  uri: URI,
  frontmatter: { name: 'a', description: 'Does it' },
  resources: [fileOf(URI, MAIN)],
  ...more,
})

/** A server that lists an entry, and gives these files. */
async function readerOf(skill: unknown, files: Record<string, string> = { [URI]: MAIN }) {
  const server: Server = createServer({ name: 'far', version: '1', log: false })
  const read: string[] = []
  for (const [uri, text] of Object.entries(files))
    server.add(resource({ uri, name: uri }, () => (read.push(uri), text)))
  const one: Entry = { key: URI, info: skill as Entry['info'], run: () => ({}) }
  server.mount({ name: 's', skills: { shared: true, list: () => [one], find: uri => (uri === URI ? one : undefined) } })
  const remote = await RemoteServer.connect(
    { open: () => memoryTransport(server) },
    { client: { name: 'c', version: '1' } },
  )
  const invalid: string[] = []
  return { skills: skillReader(remote, { parse, onInvalid: (_, why) => invalid.push(why) }), read, invalid }
}

test('a skill is listed, loaded and read, and nothing before that', async () => {
  const listed = entry({ resources: [fileOf(URI, MAIN), fileOf('skill://a/b.md', 'b')] })
  const { skills, read } = await readerOf(listed, { [URI]: MAIN, 'skill://a/b.md': 'b' })
  expect(await skills.list()).toEqual([listed])
  expect(await skills.get(URI)).toEqual(listed)
  expect(read).toEqual([])
  expect(await skills.load(listed)).toBe(MAIN)
  expect(Buffer.from(await skills.read(listed, 'skill://a/b.md')).toString()).toBe('b')
  await expect(skills.read(listed, 'skill://a/c.md')).rejects.toThrow('does not list it')
  await expect(skills.get('skill://b/SKILL.md')).rejects.toMatchObject({ code: -32602 })
  expect(read).toEqual([URI, 'skill://a/b.md'])
})

test.each([
  ['other bytes', MAIN.replace('Body', 'Evil'), 'do not fit the digest'],
  ['more bytes', `${MAIN}x`, 'bytes, and'],
])('%s are refused', async (_, text, why) => {
  const { skills } = await readerOf(entry(), { [URI]: text })
  await expect(skills.load(entry())).rejects.toThrow(why)
})

test.each([
  ['another description', MAIN.replace('Does it', 'Does more')],
  ['one member more', MAIN.replace('---\nBody', 'allowed-tools: all\n---\nBody')],
  ['no front matter', 'Body'],
  ['front matter that is no YAML', '---\na: [\n---\n'],
])('%s than was listed is refused', async (_, text) => {
  const listed = entry({ resources: [fileOf(URI, text)] })
  const { skills } = await readerOf(listed, { [URI]: text })
  await expect(skills.load(listed)).rejects.toThrow('is not what was listed')
  const dynamic = entry({ resources: 'dynamic' })
  await expect(skills.load(dynamic)).rejects.toThrow('is not what was listed')
})

const INVALID: readonly [Params, string][] = [
  [{ resources: undefined }, 'neither a list nor'],
  [{ resources: [] }, 'lack SKILL.md'],
  [{ resources: [fileOf(URI, MAIN), fileOf(URI, MAIN)] }, 'listed twice'],
  [{ resources: [fileOf(URI, MAIN), fileOf('skill://b/x', '')] }, 'not in its folder'],
  [{ resources: [fileOf(URI, MAIN), fileOf('skill://a/../x', '')] }, 'not in its folder'],
  [{ resources: [fileOf(URI, MAIN), fileOf('skill://a/%2e%2e/x', '')] }, 'not in its folder'],
  [{ resources: [{ ...fileOf(URI, MAIN), digest: 'sha256:A' }] }, 'no digest'],
  [{ resources: [{ ...fileOf(URI, MAIN), size: -1 }] }, 'no size'],
  [{ resources: [{ ...fileOf(URI, MAIN), size: 16 * 1024 * 1024 + 1 }] }, 'are allowed'],
  [{ frontmatter: { name: 'b', description: 'x' } }, "not called 'b'"],
  [{ frontmatter: { name: 'a' } }, 'no "description"'],
  [{ frontmatter: [] }, 'no "frontmatter"'],
  [{ uri: 'skill://a' }, 'not that of a SKILL.md'],
]

test.each(INVALID)('an entry with %j is left out', async (more, why) => {
  const { skills, invalid } = await readerOf(entry(more))
  expect(await skills.list()).toEqual([])
  expect(invalid.join()).toContain(why)
  await expect(skills.get(URI)).rejects.toThrow(why)
})

test('a server without skills is not asked for them', async () => {
  const server = createServer({ name: 'far', version: '1', log: false })
  const remote = await RemoteServer.connect(
    { open: () => memoryTransport(server) },
    { client: { name: 'c', version: '1' } },
  )
  await expect(skillReader(remote, { parse }).list()).rejects.toThrow('The server has no skills')
})
