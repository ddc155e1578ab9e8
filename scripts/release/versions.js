// The version of all packages, and what the changelog says about it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.js'

const SEMVER = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

export const manifestFiles = () => [
  'package.json',
  ...readdirSync(join(root, 'packages')).map(name => `packages/${name}/package.json`),
]

const read = path => readFileSync(join(root, path), 'utf8')
const manifest = path => JSON.parse(read(path))

/** The version that all packages have; throws if they differ, or depend on another version of each other. */
export function commonVersion() {
  const all = manifestFiles().map(manifest)
  const [{ version }] = all
  const names = new Set(all.map(({ name }) => name))
  for (const { name, version: own, dependencies = {} } of all) {
    if (own !== version) throw new Error(`${name} is ${own}, but the repository is ${version}`)
    for (const [other, wanted] of Object.entries(dependencies))
      if (names.has(other) && wanted !== version)
        throw new Error(`${name} depends on ${other} ${wanted}, not ${version}`)
  }
  return version
}

/** Write a version into every package, and into what they say of each other. `npm install` then updates the lock. */
export function setVersion(version) {
  if (!SEMVER.test(version)) throw new Error(`'${version}' is not a version such as 1.2.3`)
  const names = manifestFiles().map(path => manifest(path).name)
  for (const path of manifestFiles()) {
    const content = manifest(path)
    content.version = version
    for (const name of names) if (content.dependencies?.[name]) content.dependencies[name] = version
    writeFileSync(join(root, path), `${JSON.stringify(content, null, 2)}\n`)
  }
}

/** What the changelog says about a version; throws if it is not the newest section. */
export function notesFor(version, changelog = read('CHANGELOG.md')) {
  const [, ...sections] = changelog.split(/^## /m)
  const [newest = ''] = sections
  const title = newest.split('\n', 1)[0].trim()
  if (title.split(/[ (]/, 1)[0] !== version)
    throw new Error(`The newest section of CHANGELOG.md is '${title}', not ${version}`)
  return newest.slice(newest.indexOf('\n')).trim()
}
