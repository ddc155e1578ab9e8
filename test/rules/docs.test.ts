import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Cli, World } from './docs.ts'
import { localPaths, missingPaths, missingScripts, unknownUsage } from './docs.ts'
import type { Source } from './repo.ts'
import { read, repoFiles, root } from './repo.ts'

/** Markdown that tests feed on; it describes no repository, least of all this one. */
const fixture = /(?:^|\/)fixtures?\//

function docs(): Source[] {
  return repoFiles()
    .filter(path => path.endsWith('.md') && !fixture.test(path))
    .map(path => ({ path, text: read(path) }))
}

function world(): World {
  const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(read('package.json'))
  return { files: new Set(repoFiles()), scripts: Object.keys(scripts) }
}

interface Named {
  readonly name: string
}

async function cli(): Promise<Cli> {
  // By address, not by name: so the other rules of this file still run while the module is missing.
  const at = (name: string): string => pathToFileURL(join(root, `packages/cli/src/${name}.ts`)).href
  const { flags }: { flags: readonly Named[] } = await import(/* @vite-ignore */ at('config/flags'))
  const { commands }: { commands: readonly Named[] } = await import(/* @vite-ignore */ at('config/command-table'))
  const bare = ({ name }: Named): string => name.replace(/^-+/, '')
  return { flags: flags.map(bare), commands: commands.map(bare) }
}

test('every path named in the docs exists', () => {
  const here = world()
  expect(docs().flatMap(doc => missingPaths(doc, here))).toEqual([])
})

test('every npm script named in the docs exists', () => {
  const here = world()
  expect(docs().flatMap(doc => missingScripts(doc, here))).toEqual([])
})

test('every command and flag named in the docs exists', async () => {
  const known = await cli()
  expect(docs().flatMap(doc => unknownUsage(doc, known))).toEqual([])
})

test('the docs name no path that only one machine has', () => {
  expect(docs().flatMap(localPaths)).toEqual([])
})

const tiny: World = {
  files: new Set(['package.json', 'docs/guide.md', 'docs/old/plan.md', 'packages/engine/src/call.ts']),
  scripts: ['test', 'lint', 'bench:http'],
}

const doc = (...lines: string[]): Source => ({ path: 'docs/guide.md', text: lines.join('\n') })

test('self-test: a path that leads nowhere is named', () => {
  expect(missingPaths(doc('', 'See `packages/engine/src/gone.ts`.'), tiny)).toEqual([
    'docs/guide.md:2 names packages/engine/src/gone.ts: no such file or folder',
  ])
  const wrong = ['`docs/gone`', '`gone.ts`', '`engine/src/gone.ts`', '[plan](old/gone.md#why)', '![x](../gone.png)']
  for (const text of wrong) expect(missingPaths(doc(text), tiny)).toHaveLength(1)
  expect(missingPaths(doc('```sh', 'cat x', 'node docs/gone.js --fast', '```'), tiny)).toEqual([
    'docs/guide.md:3 names docs/gone.js: no such file or folder',
  ])
})

test('self-test: paths that lead somewhere and what is no path pass', () => {
  const right = [
    '`packages/engine/src/call.ts:12`',
    '`call.ts`',
    '`src/call.ts`',
    '`package.json`',
    '`packages/engine/`',
  ]
  const relative = ['[plan](old/plan.md#why)', '[top](../package.json)', '`./old/plan.md`', '[web](https://a.b/c.md)']
  const other = [
    '`tools/call`',
    '`packages/*/src`',
    '`docs/<name>.md`',
    '`application/json`',
    '`node docs/x y`',
    '`/docs/x.md`',
  ]
  const user = ['`~/.cursor/mcp.json`', '`.vscode/mcp.json`', '`packages/engine/dist/index.js`', '`.d.ts`']
  expect(missingPaths(doc(...right, ...relative, ...other, ...user), tiny)).toEqual([])
  expect(missingPaths(doc('```ts', `import './docs/gone.ts'`, '```'), tiny)).toEqual([])
})

test('self-test: an npm script that is gone is named', () => {
  expect(missingScripts(doc('Then `npm run gone`.'), tiny)).toEqual([
    'docs/guide.md:1 names npm run gone: no such script',
  ])
  expect(missingScripts(doc('```', 'npm start', '```'), tiny)).toEqual([
    'docs/guide.md:2 names npm start: no such script',
  ])
  expect(missingScripts(doc('`npm run ci`'), tiny)).toHaveLength(1)
  expect(missingScripts(doc('Type npm run gone.'), tiny)).toHaveLength(1)
  expect(missingScripts(doc('`npm ci && npm run -s gone -- --fast`'), tiny)).toHaveLength(1)
})

test('self-test: npm scripts and commands that exist pass', () => {
  const lines = ['`npm ci`', '`npm cit`', '`npm install @x/y`', '`npm test`', '`npm run bench:http`', 'npm workspaces']
  expect(missingScripts(doc(...lines, '```sh', 'npm run -s lint -- --fix', 'pnpm gone', '```'), tiny)).toEqual([])
})

const small: Cli = { commands: ['serve', 'list'], flags: ['stdio', 'port', 'color'] }

test('self-test: an unknown command or flag is named', () => {
  expect(unknownUsage(doc('Run `causeway fly --stdio`.'), small)).toEqual([
    'docs/guide.md:1 names causeway fly: no such command',
  ])
  expect(unknownUsage(doc('```sh', 'npx -y causeway-mcp serve \\', '  --speed=9 --port 0', '```'), small)).toEqual([
    'docs/guide.md:3 names causeway … --speed: no such flag',
  ])
  const settings = { mcpServers: { a: { command: 'npx', args: ['-y', 'causeway-mcp', 'fly', '--high'] } } }
  expect(unknownUsage(doc('```json', JSON.stringify(settings, null, 2), '```'), small)).toHaveLength(2)
  expect(unknownUsage(doc('`[--stdio]`', '`causeway [--stdio|--gone]`'), small)).toHaveLength(1)
  expect(unknownUsage(doc('`claude mcp add causeway -- npx -y causeway-mcp --gone`'), small)).toHaveLength(1)
  expect(unknownUsage(doc('`node packages/cli/bin/causeway.js fly`'), small)).toHaveLength(1)
})

test('self-test: known commands and what is no command pass', () => {
  const lines = [
    '`causeway`',
    '`causeway serve --stdio --no-color`',
    '`causeway COMMAND`',
    '`causeway list | grep --count x`',
    '`@causeway/engine --gone`',
    '`claude mcp add causeway npx`',
    'causeway flies',
  ]
  expect(unknownUsage(doc(...lines), small)).toEqual([])
})

test("self-test: a path of one machine's own is named", () => {
  expect(localPaths(doc('fine', 'see `../shared/design.md`', 'cd /work/main'))).toEqual([
    'docs/guide.md:2 names ../shared, which only one machine has',
    'docs/guide.md:3 names /work/, which only one machine has',
  ])
  expect(localPaths(doc('https://example.org/work/x and packages/work/'))).toEqual([])
})
