import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentOf, editEntry, valueAt } from '../../src/clients/edit-entry.ts'
import { editJson } from '../../src/config/files/file-formats.ts'

const ENTRY = { command: 'node', args: ['/a b/c.js', '--root', '.'] }
const PATH = ['mcpServers', 'causeway']

test.each([
  ['', '{\n  "mcpServers": {\n    "causeway": 1\n  }\n}\n'],
  ['{}', '{\n  "mcpServers": {\n    "causeway": 1\n  }\n}'],
  ['{ "a": 1 }', '{\n  "a": 1,\n  "mcpServers": {\n    "causeway": 1\n  }\n}'],
  [
    '// mine\n{\n\t"mcpServers": {\n\t\t"x": { "command": "y" }, // keep\n\t},\n}\n',
    '// mine\n{\n\t"mcpServers": {\n\t\t"x": { "command": "y" }, // keep\n\t\t"causeway": 1,\n\t},\n}\n',
  ],
  [
    '{\r\n  "mcpServers": {\r\n    "x": {} // keep\r\n  }\r\n}\r\n',
    '{\r\n  "mcpServers": {\r\n    "x": {}, // keep\r\n    "causeway": 1\r\n  }\r\n}\r\n',
  ],
  [
    '{\n    "theme": "dark", /* a */\n    "big": [1,\n  2]\n}\n',
    '{\n    "theme": "dark", /* a */\n    "big": [1,\n  2],\n    "mcpServers": {\n        "causeway": 1\n    }\n}\n',
  ],
  ['{\n  "mcpServers": { "x": 1 }\n}\n', '{\n  "mcpServers": { "x": 1, "causeway": 1 }\n}\n'],
  ['{\n  "mcpServers": {}\n}\n', '{\n  "mcpServers": {\n    "causeway": 1\n  }\n}\n'],
])('JSON keeps comments and layout: %j', (before, after) => {
  expect(editJson(before === '' ? '{}\n' : before, PATH, 1)).toBe(after)
})

const json = fc.jsonValue({ maxDepth: 3 })
const object = fc.dictionary(
  fc.string({ maxLength: 8 }).filter(key => key !== '__proto__'),
  json,
  { maxKeys: 5 },
)
const written = fc.tuple(object, fc.constantFrom(undefined, 2, '\t'))

test('in any JSON the entry is set and removed again, and nothing else changes', () => {
  fc.assert(
    fc.property(written, fc.boolean(), ([content, indent], hasServers) => {
      const all = hasServers ? { ...content, mcpServers: { other: { command: 'x' } } } : content
      const { mcpServers: _, ...others } = all as Record<string, unknown>
      const start = hasServers ? all : others
      const before = JSON.stringify(start, undefined, indent)
      const after = editEntry('x.json', before, PATH, ENTRY)
      expect(valueAt(contentOf('x.json', after), PATH)).toEqual(ENTRY)
      const again = editEntry('x.json', after, PATH, undefined)
      expect(valueAt(contentOf('x.json', again), PATH)).toBeUndefined()
    }),
  )
})

test('a long text in one line stays in one line', () => {
  const before = `{"mcpServers":{${Array.from({ length: 10_000 }, (_, i) => `"s${i}":{}`).join(',')}}}`
  expect(editJson(before, PATH, 1)).toBe(`${before.slice(0, -2)}, "causeway": 1}}`)
})

test('TOML gets one table, which is removed with its own tables', () => {
  const path = ['mcp_servers', 'causeway']
  const before = 'model = "o3" # mine\n\n[mcp_servers.z]\ncommand = "q"\n'
  const after = editEntry('x.toml', before, path, { ...ENTRY, env: { A: 'b' } })
  expect(after.startsWith(before)).toBe(true)
  expect(valueAt(contentOf('x.toml', after), path)).toEqual({ ...ENTRY, env: { A: 'b' } })
  expect(editEntry('x.toml', after, path, undefined)).toBe(before)
  expect(editEntry('x.toml', editEntry('x.toml', after, path, ENTRY), path, undefined)).toBe(before)
  expect(() => editEntry('x.toml', 'mcp_servers = { z = { command = "q" } }\n', path, ENTRY)).toThrow(
    /cannot be (?:read|edited safely)/,
  )
})

test('YAML keeps comments', () => {
  const path = ['extensions', 'causeway']
  const before = '# hi\nextensions:\n  dev:\n    type: builtin # b\nother: 1\n'
  const after = editEntry('x.yaml', before, path, ENTRY)
  expect(after).toContain('type: builtin # b')
  expect(valueAt(contentOf('x.yaml', after), path)).toEqual(ENTRY)
  expect(editEntry('x.yaml', after, path, undefined)).toBe(before)
  for (const empty of ['', '# only a comment\n', 'extensions:\n'])
    expect(valueAt(contentOf('x.yaml', editEntry('x.yaml', empty, path, ENTRY)), path)).toEqual(ENTRY)
})

test.each([
  ['x.json', '{ "a": 1,, }', /x\.json cannot be read: invalid JSON: .* at line 1, column \d+\. Correct it first/],
  ['x.toml', 'a = \n', /x\.toml cannot be read: .*Correct it first/s],
  ['x.yaml', 'a: [1\n', /x\.yaml cannot be read: .* at line \d+, column \d+/],
  ['x.json', '[1]', /has no object at its top level/],
])('%s with %j is refused, with the place', (file, text, words) => {
  expect(() => editEntry(file, text, PATH, ENTRY)).toThrow(words)
})

test('a file that is far too long is refused before it is parsed', () => {
  expect(() => contentOf('x.json', ' '.repeat(8_000_001))).toThrow('x.json cannot be read: it has more than 8 million')
})
