import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './repo.ts'

interface Component {
  readonly name: string
  readonly version: string
}

test('the bill of materials lists what is shipped, bundled packages included, and no tool of ours', () => {
  const printed = execFileSync(process.execPath, [join(root, 'scripts/sbom.js')], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const { bomFormat, components } = JSON.parse(printed) as { bomFormat: string; components: Component[] }
  const names = components.map(({ name }) => name)
  expect(bomFormat).toBe('CycloneDX')
  expect(names).toEqual(
    expect.arrayContaining([
      'typebox',
      'jose',
      'ws',
      '@sqlite.org/sqlite-wasm',
      'liquidjs',
      'yaml',
      '@standard-schema/spec',
    ]),
  )
  expect(names).not.toContain('vitest')
  expect(names).not.toContain('oxlint')
  expect(new Set(names).size).toBe(names.length)
})
