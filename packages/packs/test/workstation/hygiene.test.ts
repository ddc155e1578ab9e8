import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { maskResults, spotlight } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Result } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { workstation } from '@causeway/packs/workstation'
import { expect, test } from 'vitest'
import { git, repository, worker } from './place.ts'

const TOKEN = `ghp_${'a1B2'.repeat(9)}`

function clientOf(root: string): Client {
  const server = createServer({ name: 's', version: '1' }).use(maskResults({ writers: ['build', 'diff'] }))
  return connect(server.add(workstation({ roots: [root], allowCommand: ['*'], worker })))
}

const call = (client: Client, name: string, args: object = {}): Promise<Result> =>
  client.request('tools/call', { name, arguments: { ...args } })
const textOf = ({ content }: Result): string => (content as { text: string }[]).map(({ text }) => text).join('')
const writerOf = ({ _meta }: Result): unknown => (_meta as Record<string, unknown> | undefined)?.['dev.causeway/data']

test('what git and programs print hides nothing, is marked, and has no keys where nobody writes them back', async () => {
  const root = repository({ 'a.txt': 'one\n', Makefile: `all:\n\t@echo "key ${TOKEN}"\n` })
  const client = clientOf(root)
  writeFileSync(join(root, 'a.txt'), `one \u202E\u{E0041}two\nkey = ${TOKEN}\n`)
  const diff = await call(client, 'git_diff')
  expect(textOf(diff)).toContain('+one [U+202E U+E0041]two\n+key = [redacted]')
  expect(writerOf(diff)).toBe('diff')
  git(root, 'commit', '--quiet', '--all', '--message', 'a\u200Bb')
  expect(textOf(await call(client, 'git_log'))).toContain('a[U+200B]b')
  const build = await call(client, 'ci_build')
  expect(textOf(build)).toContain('key [redacted]')
  expect(writerOf(build)).toBe('build')
  const printed = await call(client, 'run_command', {
    command: `printf '\\033[31mred\\033[0m\\342\\200\\256 ${TOKEN}'`,
  })
  expect(textOf(printed)).toBe(`red[U+202E] ${TOKEN}`)
  expect(writerOf(printed)).toBe('command')
})

test('the text of a file is exact, and a note beside it names the lines that hide something', async () => {
  const words = `\uFEFFplain\nhidden \u202E and\u200B\nيفهم‌ 👩‍💻\n\u{E0041}\n`
  const root = repository({ 'a.txt': words })
  const client = clientOf(root)
  const { content } = await call(client, 'read_file', { path: 'a.txt' })
  const [file, note] = content as { text: string }[]
  expect(file?.text).toBe(words)
  expect(note?.text).toMatch(/^\[Lines 2, 4 hold characters that cannot be seen: U\+202E, U\+200B, U\+E0041\./)
  expect(textOf(await call(client, 'read_file', { path: 'a.txt', limit: 1 }))).not.toContain('cannot be seen')
  const later = await call(client, 'read_file', { path: 'a.txt', offset: 4 })
  expect(textOf(later)).toContain('[Line 4 holds characters that cannot be seen: U+E0041.')
})

test('with a fence, files, searches and names in folders stand inside, exact, and our notes outside', async () => {
  const words = 'one \u202E\ntwo\n'
  const root = repository({ 'a.txt': words })
  const server = createServer({ name: 's', version: '1' }).use(spotlight())
  const client = connect(server.add(workstation({ roots: [root], worker })))
  const blocks = async (name: string, args: object): Promise<string[]> =>
    ((await call(client, name, args)).content as { text: string }[]).map(({ text }) => text)
  const fence = [expect.stringMatching(/^<<data/), expect.any(String), expect.stringMatching(/^\n<<end/)]
  const [, file, , note, ...rest] = await blocks('read_file', { path: 'a.txt' })
  expect([file, rest]).toEqual([words, []])
  expect(note).toMatch(/^\[Line 1 holds/)
  const [head, ...read] = await blocks('read_files', { paths: ['a.txt'], limit: 1 })
  expect(head).toBe('==> a.txt <==')
  expect(read.slice(0, 3)).toEqual(fence)
  for (const [name, args] of [
    ['search_files', { content: 'two' }],
    ['directory_tree', {}],
    ['list_directory', { path: '.' }],
  ] as const)
    expect(await blocks(name, args), name).toEqual(fence)
  const [missing] = await blocks('read_file', { path: 'b.txt' })
  expect(missing).not.toContain('<<data')
})
