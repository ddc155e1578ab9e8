import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** The servers to measure: arguments of `node` at the root, the files they need, and how to get those. */
export const targets = [
  { name: 'floor', args: ['bench/floor-stdio.js'], needs: ['bench/floor-stdio.js'], hint: 'part of this folder' },
  {
    name: 'causeway',
    args: ['packages/cli/bin/causeway.js', 'serve', '--stdio', '--preset', 'basics', '--rate-limit', 'off'],
    needs: ['packages/cli/bin/causeway.js', 'packages/cli/dist/main.js'],
    hint: 'npm run build',
  },
  {
    name: 'sdk-v2',
    args: ['bench/peers/sdk-v2-stdio.js'],
    needs: ['bench/peers/node_modules/@modelcontextprotocol/server/package.json'],
    hint: 'npm ci --prefix bench/peers',
  },
]

/** Bare Node, doing nothing: the yardstick for startup. */
export const bareNode = { name: 'node -e 0', args: ['-e', '0'] }

/** Names the files a target lacks on this machine. */
export function missing(target) {
  return target.needs.filter(path => !existsSync(join(root, path)))
}
