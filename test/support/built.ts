import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Builds what tests spawn, once before all of them and only if a source is newer than what was built. */
export function setup(): void {
  const packages = readdirSync(`${root}packages`)
  const written = packages.flatMap(name => timesIn(`${root}packages/${name}/src`))
  const built = packages.flatMap(name => timesIn(`${root}packages/${name}/dist`))
  if (Math.max(...written, statSync(`${root}rolldown.config.js`).mtimeMs) < Math.max(0, ...built)) return
  // Only what runs; the declarations beside it are for those who compile against it.
  execFileSync(process.execPath, [`${root}node_modules/rolldown/bin/cli.mjs`, '-c'], { cwd: root, stdio: 'pipe' })
}

/** When each script in a folder was last written. */
function timesIn(folder: string): number[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.(?:ts|js)$/.test(name) && !/\.(?:d|test)\.ts$/.test(name))
      .map(entry => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs)
  } catch {
    return []
  }
}
