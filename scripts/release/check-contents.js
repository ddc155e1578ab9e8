// What every packed package must have, and what none may have.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const NEEDED = ['README.md', 'LICENSE', 'package.json']
const FIELDS = ['description', 'keywords', 'license', 'repository', 'engines']
const SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']
// Sources, tests, and files with settings or secrets of whoever packed it.
const FOREIGN = /^(?:src|test|coverage)\/|(?:^|\/)(?:\.(?:npmrc|env|git)|tokens?$|.*\.(?:pem|key|tgz)$)/

/** What is wrong with an installed package that was packed with these files. */
export function problemsOf({ name, files }, folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const paths = files.map(({ path }) => path)
  const bundles = paths.filter(path => /^dist\/[^/]+\.js$/.test(path) && path !== 'dist/rolldown-runtime.js')
  const entries = Object.values(manifest.exports ?? {}).flatMap(({ types, default: file }) =>
    [types, file].filter(Boolean),
  )
  const bins = Object.values(manifest.bin ?? {})
  const missing = [...NEEDED, ...[...entries, ...bins].map(path => path.replace(/^\.\//, ''))]
  return [
    ...missing.filter(path => !paths.includes(path)).map(path => `${path} is missing`),
    ...FIELDS.filter(field => !manifest[field]).map(field => `package.json has no ${field}`),
    ...SCRIPTS.filter(script => manifest.scripts?.[script]).map(script => `package.json has a script ${script}`),
    ...paths.filter(path => FOREIGN.test(path)).map(path => `${path} does not belong into the package`),
    ...bundles.filter(path => !hasMap(folder, path, paths)).map(path => `${path} has no source map`),
    ...(manifest.private ? ['package.json says private'] : []),
    ...(paths.some(path => path.endsWith('.d.ts')) || !paths.some(path => path.startsWith('dist/'))
      ? []
      : ['it has no types']),
  ].map(problem => `${name}: ${problem}`)
}

/** A file that only passes on what others export has nothing to map. */
const hasMap = (folder, path, paths) =>
  paths.includes(`${path}.map`) || !readFileSync(join(folder, path), 'utf8').includes('\n//#region')
