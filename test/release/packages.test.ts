import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { problemsOf } from '../../scripts/release/check-contents.js'
import { LIMITS, packAll, root } from '../../scripts/release/packages.js'
import type { Packed } from '../../scripts/release/packages.js'
import { needs } from '../support/needs.ts'

// scripts/check-packages.js does the same with a real installation; this takes no network.
const isBuilt = existsSync(join(root, 'packages/engine/dist/index.d.ts'))

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const folderOf = (name: string): string => join(root, 'node_modules', name)

/** A package and all it depends on. */
function closureOf(name: string, found: Set<string> = new Set()): Set<string> {
  found.add(name)
  const { dependencies, optionalDependencies } = manifestIn(folderOf(name))
  for (const next of Object.keys({ ...dependencies, ...optionalDependencies }))
    if (!found.has(next)) closureOf(next, found)
  return found
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

describe('what is published', needs('npm run build', isBuilt), () => {
  let packed: readonly Packed[]
  beforeAll(() => {
    packed = packAll(join(tmpdir(), 'causeway-packed'), true)
  })

  test.each(Object.entries(LIMITS))('an installation of %s stays small', (name, limit) => {
    const names = [...closureOf(name)]
    const own = new Map(packed.map(one => [one.name, one.unpackedSize]))
    const bytes = names.reduce((sum, one) => sum + (own.get(one) ?? sizeOf(folderOf(one))), 0)
    expect(names.length).toBeLessThanOrEqual(limit.packages)
    expect(bytes).toBeLessThan(limit.bytes)
    // What the docs say is what it is, give or take a tenth.
    const [, said] =
      new RegExp(`\\| \`${name}\` \\| ([\\d.]+) MB`).exec(readFileSync(join(root, 'docs/packages.md'), 'utf8')) ?? []
    expect(Number(said) / (bytes / 1e6)).toBeCloseTo(1, 1)
  })

  test('each has its README, licence, types and maps, no install script and nothing else', () => {
    expect(packed.map(({ name }) => name).toSorted()).toEqual([
      '@causeway/console',
      '@causeway/engine',
      '@causeway/gateway',
      '@causeway/packs',
      'causeway-mcp',
      'create-causeway',
    ])
    expect(packed.flatMap(one => problemsOf(one, folderOf(one.name)))).toEqual([])
  })

  test('self-test: what is missing or foreign is named', () => {
    const folder = join(tmpdir(), 'causeway-contents')
    mkdirSync(join(folder, 'dist'), { recursive: true })
    const manifest = { private: true, scripts: { postinstall: 'x' }, exports: { '.': { types: './dist/i.d.ts' } } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(folder, 'dist/a.js'), 'x\n//#region a\n')
    const files = ['package.json', 'dist/a.js', 'src/a.ts', '.npmrc'].map(path => ({ path, size: 1 }))
    const found = problemsOf({ name: 'x', files }, folder).join('\n')
    for (const part of [
      'README.md',
      'dist/i.d.ts',
      'postinstall',
      'src/a.ts',
      '.npmrc',
      'private',
      'source map',
      'types',
    ])
      expect(found).toContain(part)
  })
})
