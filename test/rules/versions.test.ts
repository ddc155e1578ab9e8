import { expect, test } from 'vitest'
import { codeOnly, commentsOf, lineAt } from './lexer.ts'
import type { Source } from './repo.ts'
import { ownSources } from './repo.ts'

/** The published revisions of the protocol. */
const revisions = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])

/** Where a revision's date may stand. */
const home = [/\/protocol\//, /^packages\/cli\/src\/presets\//]

/** Links to the specification name its date: in a comment they are welcome everywhere. */
function withoutSpecLinks(text: string): string {
  let rest = text
  for (const comment of commentsOf(text)) {
    const plain = comment.text.replace(/https?:\/\/\S+/g, link => ' '.repeat(link.length))
    rest = rest.slice(0, comment.start) + plain + rest.slice(comment.start + plain.length)
  }
  return rest
}

function strayVersions({ path, text }: Source): string[] {
  if (home.some(pattern => pattern.test(path))) return []
  const dates = [...withoutSpecLinks(text).matchAll(/20\d\d-\d\d-\d\d/g)].filter(([date]) => revisions.has(date))
  return dates.map(found => `${path}:${lineAt(text, found.index)} names ${found[0]}: revisions belong in protocol/`)
}

/** Which era a revision belongs to is asked only where revisions are described; elsewhere, ask for the trait that matters. */
function strayEras({ path, text }: Source): string[] {
  if (/\/protocol\//.test(path)) return []
  const found = [
    ...codeOnly(text).matchAll(
      /\.era\b|\bera\s*[=!]==|\{[^{}]*\bera\b[^{}]*\}\s*=[^=>]|\btraits\.(?:handshake|stateful|stateless)\b/g,
    ),
  ]
  return found.map(({ index }) => `${path}:${lineAt(text, index)} asks for the era: that belongs in protocol/`)
}

test('eras are told apart only in protocol/', () => {
  expect(ownSources().flatMap(strayEras)).toEqual([])
})

test('self-test: a stray question for the era is named', () => {
  const path = 'packages/engine/src/transports/http.ts'
  const named = [`${path}:2 asks for the era: that belongs in protocol/`]
  expect(strayEras({ path, text: `const a = 1\nif (revision.era === 'stateful') go()` })).toEqual(named)
  expect(strayEras({ path, text: `// x\nconst { era } = revision` })).toEqual(named)
  expect(strayEras({ path, text: `\nif (revision.traits.handshake) go()` })).toEqual(named)
  expect(strayEras({ path, text: `// revision.era\nconst era = 1` })).toEqual([])
  expect(strayEras({ path: 'packages/engine/src/protocol/x.ts', text: 'revision.era' })).toEqual([])
})

test('revisions are named only in protocol/ and in presets', () => {
  expect(ownSources().flatMap(strayVersions)).toEqual([])
})

test('self-test: a stray revision is named', () => {
  const path = 'packages/engine/src/transports/http.ts'
  expect(strayVersions({ path, text: `const a = 1\nif (version < '2025-06-18') go()` })).toEqual([
    `${path}:2 names 2025-06-18: revisions belong in protocol/`,
  ])
  expect(strayVersions({ path, text: '// since 2025-03-26' })).toHaveLength(1)
  expect(strayVersions({ path, text: `const spec = 'https://example.org/2026-07-28'` })).toHaveLength(1)
  expect(
    strayVersions({ path, text: '/** See https://example.org/2026-07-28/basic. */\nconst day = "2001-01-01"' }),
  ).toEqual([])
})

test('self-test: revisions are at home in protocol/ and in presets', () => {
  const text = `export const version = '2025-11-25'`
  expect(strayVersions({ path: 'packages/engine/src/protocol/revisions/2025-11-25.ts', text })).toEqual([])
  expect(strayVersions({ path: 'packages/cli/src/presets/threats.ts', text })).toEqual([])
  expect(strayVersions({ path: 'packages/cli/src/config/config.ts', text })).toHaveLength(1)
})
