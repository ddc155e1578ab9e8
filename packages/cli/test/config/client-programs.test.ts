import { clientPrograms, httpSnippet, sseSnippet, stdioSnippet } from '@causeway/engine/client-programs'
import { readServers } from '@causeway/gateway'
import type { Servers } from '@causeway/gateway'
import { describe, expect, test } from 'vitest'
import { editJson, parseSettings } from '../../src/config/files/file-formats.ts'

const HEADERS = { Authorization: 'Bearer TOKEN', 'X-Two': 'it\'s "2"' }
const COMMAND = { command: 'node', args: ['/a b/c.js', '--root', '.'] }

const read = (file: string, text: string): Servers =>
  readServers(parseSettings(file, text), { file, variables: () => undefined, readText: () => undefined })

describe.each(clientPrograms.filter(({ addCommand }) => addCommand === undefined))('$name', program => {
  test('what is pasted there can be read from there', () => {
    const { upstreams, problems } = read(program.where, stdioSnippet(program, 'it', COMMAND))
    expect(problems).toEqual([])
    expect(upstreams).toMatchObject([{ name: 'it', target: { kind: 'stdio', ...COMMAND } }])
    const far = read(program.where, httpSnippet(program, 'it', { url: 'http://h.test/mcp', headers: HEADERS }))
    expect(far.problems).toEqual([])
    const target = program.isBridged ? { command: 'npx' } : { kind: 'http', url: 'http://h.test/mcp', headers: HEADERS }
    expect(far.upstreams).toMatchObject([{ name: 'it', target }])
  })
})

test('a command of the shell quotes what needs it', () => {
  const [program] = clientPrograms
  expect(program && stdioSnippet(program, 'it', COMMAND)).toBe(`claude mcp add it -- node '/a b/c.js' --root .`)
  expect(program && httpSnippet(program, 'it', { url: 'http://h.test', headers: { A: 'b' } })).toBe(
    `claude mcp add --transport http it http://h.test --header 'A: b'`,
  )
  expect(program && stdioSnippet(program, 'it', { command: 'C:\\Program Files\\node.exe', args: [] })).toBe(
    'claude mcp add it -- "C:\\Program Files\\node.exe"',
  )
  expect(read('x.json', sseSnippet('it', { url: 'http://h.test/sse' }))).toMatchObject({
    upstreams: [{ target: { kind: 'sse' } }],
    problems: [],
  })
})

test.each([
  ['{\n\t"a": { // one\n\t\t"b": 1\n\t}\n}', '{\n\t"a": { // one\n\t\t"b": 1,\n\t\t"c": true\n\t}\n}'],
  ['{ "a": {} }', '{\n  "a": {\n    "c": true\n  }\n}'],
])('an edit keeps comments and indentation: %j', (before, after) => {
  expect(editJson(before, ['a', 'c'], true)).toBe(after)
  expect(parseSettings('x.json', editJson(after, ['a', 'c'], undefined))).toEqual(parseSettings('x.json', before))
})
