import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { version, engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  engines: { node: string }
}

/** The version of this package, which is the version of all of ours. */
export const VERSION: string = version

/** The oldest Node that runs it. */
export const NODE_FLOOR: string = engines.node.replace(/^>=/, '')

/** Files of servers that `causeway new` makes. */
export const TEMPLATES: string = fileURLToPath(new URL('../templates/', import.meta.url))

/** What takes types away from TypeScript, which a build makes; its place is the same from `src`. */
export const STRIP_TYPES: string = fileURLToPath(new URL('../dist/strip-types.js', import.meta.url))

/** The script that starts this program. Its place relative to this file is the same in `src` and in `dist`. */
export const EXECUTABLE: string = fileURLToPath(new URL('../bin/causeway.js', import.meta.url))
