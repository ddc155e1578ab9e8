import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** The version of this package, which is the version of all of ours. */
export const VERSION: string = version

/** The script that starts this program. Its place relative to this file is the same in `src` and in `dist`. */
export const EXECUTABLE: string = fileURLToPath(new URL('../bin/causeway.js', import.meta.url))
