import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export)\b[^'"]*?\bfrom\s*["']([^"']+)["']|^import\s*["']([^"']+)["']/gm

/** The built file that a module names; nothing for those of Node and of others. */
function fileOf(name: string, from: string): string | undefined {
  if (name.startsWith('.')) return join(dirname(from), name)
  const [, folder, entry = ''] = /^@causeway\/(\w+)(\/.+)?$/.exec(name) ?? []
  if (folder === undefined) return undefined
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  return join(root, 'packages', folder, exports[`.${entry}`].default)
}

/** What is loaded together with a built file, by its static imports. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, named, bare] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const next = fileOf(named ?? bare ?? '', file)
    if (next !== undefined) loadedWith(next, seen)
  }
  return seen
}

test('a server on stdio is put together without HTTP, a client and the gateway', () => {
  const loaded = [...loadedWith(join(root, 'packages/cli/dist/serve.js'))].map(file => relative(root, file))
  expect(loaded).toContain('packages/engine/dist/index.js')
  const late = [
    'engine/dist/http.js',
    'engine/dist/http-frontend.js',
    'engine/dist/fetch.js',
    'engine/dist/client.js',
    'gateway/dist/index.js',
    'console/dist/index.js',
  ]
  expect(loaded.filter(file => late.some(end => file.endsWith(end)))).toEqual([])
})
