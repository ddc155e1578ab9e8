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
  peer('sdk-v2', '@modelcontextprotocol/server', ['bench/peers/sdk-v2-stdio.js']),
  peer('sdk-v1', '@modelcontextprotocol/sdk', ['bench/peers/sdk-v1.js']),
  peer('tmcp', 'tmcp', ['bench/peers/tmcp-sums.js']),
  peer('fastmcp', 'fastmcp', ['bench/peers/fastmcp-sums.js']),
]

/** The same over HTTP; each prints its URL first. Preset `basics` is no choice here: it stops at an older revision. */
export const httpTargets = [
  floor('bench/floor-http.js'),
  {
    name: 'causeway',
    args: ['packages/cli/bin/causeway.js', 'serve', '--http', '--port', '0', '--preset', 'all', '--rate-limit', 'off'],
    ...ours,
  },
  peer('sdk-v2', '@modelcontextprotocol/node', ['bench/peers/sdk-v2-http.js']),
  // These know no requests without a session.
  { ...peer('sdk-v1', '@modelcontextprotocol/sdk', ['bench/peers/sdk-v1.js', 'http']), eras: ['stateful'] },
  { ...peer('fastmcp', 'fastmcp', ['bench/peers/fastmcp-sums.js', 'http']), eras: ['stateful'] },
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

function peer(name, library, args) {
  const needs = [`bench/peers/node_modules/${library}/package.json`]
  return { name, args, needs, hint: 'npm ci --prefix bench/peers' }
}
