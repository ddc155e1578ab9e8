import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BUNDLES } from './upstream-script.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Builds what tests spawn, once before all of them and only if a source is newer than what was built. */
export function setup(): void {
  bundleUpstreams()
  if (readdirSync(`${root}packages`).every(isFresh)) return
  // Only what runs; the declarations beside it are for those who compile against it.
  run(ROLLDOWN, '-c')
  run('scripts/build-threats.js')
  run('scripts/build-toolkit.js')
  run('scripts/build-grammars.js')
  run('scripts/build-console.js')
}

const ROLLDOWN = `${root}node_modules/rolldown/bin/cli.mjs`
const run = (...args: string[]): unknown => execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' })

function bundleUpstreams(): void {
  const sources = `${root}test/support/upstreams`
  // An installation writes this file last, so that other versions of the SDKs are bundled again.
  const installed = statSync(`${root}node_modules/.package-lock.json`).mtimeMs
  if (Math.max(installed, ...timesIn(sources)) < Math.max(0, ...timesIn(BUNDLES))) return
  const files = readdirSync(sources).map(name => `${sources}/${name}`)
  run(ROLLDOWN, ...files, '--platform', 'node', '--format', 'esm', '--dir', BUNDLES)
}

const isFresh = (name: string): boolean =>
  Math.max(...timesIn(`${root}packages/${name}/src`), statSync(`${root}rolldown.config.js`).mtimeMs) <
  Math.max(0, ...timesIn(`${root}packages/${name}/dist`))

/** When each script in a folder was last written. */
function timesIn(folder: string): number[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.(?:tsx?|js|css|html)$/.test(name) && !/\.(?:d|test)\.ts$/.test(name))
      .map(entry => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs)
  } catch {
    return []
  }
}
