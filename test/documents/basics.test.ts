import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll } from 'vitest'
import { BINARY, ROOT } from '../support/spawned.ts'
import { basics } from './basics.ts'
import { playDocument } from './play.ts'

const tools = mkdtempSync(join(tmpdir(), 'causeway-basics-'))
afterAll(() => rmSync(tools, { recursive: true, force: true }))

const NAMES = ['calculator-add', 'system.ping', 'add numbers', 'add@numbers', 'x'.repeat(128), 'y'.repeat(129)]
writeFileSync(
  join(tools, 'tools.mjs'),
  `import { fault } from ${JSON.stringify(pathToFileURL(`${ROOT}packages/engine/dist/index.js`))}
   const throwing = (name, error) => ({ kind: 'tool', name, run: () => { throw error } })
   export const exceptions = [
     throwing('ToolInvalidParamsException', fault('invalid-arguments', 'Missing required parameter')),
     throwing('ToolNotFoundException', fault('unknown-tool', "Tool 'xyz' not found")),
     throwing('ToolInternalErrorException', new Error('Database connection failed')),
   ]
   export const tools = ${JSON.stringify(NAMES)}.map(name => ({ kind: 'tool', name, run: () => name }))
   export const text = { kind: 'tool', name: 'text_schema', input: '{"type":"object","properties":{}}', run: () => 'ok' }
   export const bad = { kind: 'tool', name: 'bad_schema', input: '{"type":', run: () => '' }`,
)

playDocument({
  ...basics,
  command: () => [BINARY, 'serve', '--preset', 'basics', '--tools-dir', tools],
})
