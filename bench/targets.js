import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

const ours = { needs: ['packages/cli/bin/causeway.js', 'packages/cli/dist/main.js'], hint: 'npm run build' }

/** The servers to measure on stdio: arguments of `node` at the root, the files they need, and how to get those. */
export const targets = [
  floor('bench/floor-stdio.js'),
  {
    name: 'causeway',
    args: ['packages/cli/bin/causeway.js', 'serve', '--stdio', '--preset', 'basics', '--rate-limit', 'off'],
    ...ours,
  },
  sdk('bench/peers/sdk-v2-stdio.js', 'server'),
]

/** The same over HTTP; each prints its URL first. Preset `basics` is no choice here: it stops at an older revision. */
export const httpTargets = [
  floor('bench/floor-http.js'),
  {
    name: 'causeway',
    args: ['packages/cli/bin/causeway.js', 'serve', '--http', '--port', '0', '--preset', 'all', '--rate-limit', 'off'],
    ...ours,
  },
  sdk('bench/peers/sdk-v2-http.js', 'node'),
]

/** Bare Node, doing nothing: the yardstick for startup. */
export const bareNode = { name: 'node -e 0', args: ['-e', '0'] }

/** Names the files a target lacks on this machine. */
export function missing(target) {
  return target.needs.filter(path => !existsSync(join(root, path)))
}

function floor(file) {
  return { name: 'floor', args: [file], needs: [file], hint: 'part of this folder' }
}

function sdk(file, part) {
  const needs = [`bench/peers/node_modules/@modelcontextprotocol/${part}/package.json`]
  return { name: 'sdk-v2', args: [file], needs, hint: 'npm ci --prefix bench/peers' }
}
