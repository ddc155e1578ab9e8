import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonLog, textLog } from '@causeway/engine'
import { afterAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../../test/support/spawned.ts'
import { plainLog } from '../../src/observe/plain-log.ts'
import { runHere } from '../support/here.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-escapes-'))
afterAll(() => rmSync(folder, { recursive: true }))

// A title, a cleared screen, the eight-bit forms, a line that is written over, a direction, and something unseen.
const NASTY = '\u001B]0;owned\u0007\u001B[2J\u009B31m\u009D0;x\u009C\rover\u007F\b\u202Eover\u200B\u2066'
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const HARMFUL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u2028-\u202E\u2066-\u2069]/

writeFileSync(
  join(folder, 'nasty.mjs'),
  `import { createInterface } from 'node:readline'
   const nasty = ${JSON.stringify(NASTY)}
   process.stderr.write('ready ' + nasty + '\\n')
   if (process.argv[2] === 'fails') { process.stderr.write('Error: ' + nasty + '\\n'); process.exit(1) }
   createInterface({ input: process.stdin }).on('line', line => {
     const { id, method, params } = JSON.parse(line)
     const result = {
       initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: nasty, version: nasty } },
       'tools/list': { tools: [{ name: 'a', title: nasty, description: nasty, inputSchema: { type: 'object', properties: { [nasty]: { description: nasty } } } }] },
       'tools/call': { content: [{ type: 'text', text: nasty }], isError: true },
     }[method]
     if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: nasty } }) }))
   })`,
)
const entry = (...args: string[]): object => ({ command: process.execPath, args: [join(folder, 'nasty.mjs'), ...args] })
const file = join(folder, 'mcp.json')
writeFileSync(
  file,
  JSON.stringify({ mcpServers: { bad: entry(), broken: entry('fails'), [`x${NASTY}`]: { url: NASTY } } }),
)
const alone = join(folder, 'alone.json')
writeFileSync(alone, JSON.stringify({ mcpServers: { bad: entry() } }))

describe('nothing that a server writes reaches the terminal as it is', () => {
  test.each([
    'servers list',
    'servers list --json',
    'servers status',
    'servers logs bad',
    'servers logs broken',
    'list --pack none',
    'list --pack none --json',
    'describe bad__a --pack none',
    'call bad__a --pack none',
    'lock',
    'lock approve NASTY',
    'help NASTY',
    'serve --NASTY',
  ])('%s', async line => {
    const servers = /^(?:serve|help) /.test(line) ? [] : ['--servers', file, '--data', folder]
    const args = line.split(' ').map(word => word.replace('NASTY', NASTY))
    const { stdout, stderr } = await runHere([...args, ...servers])
    expect(`${stdout}${stderr}`).not.toBe('')
    expect(stdout).not.toMatch(HARMFUL)
    expect(stderr).not.toMatch(HARMFUL)
  })

  test('lock diff and lock approve', async () => {
    const flags = ['--servers', alone, '--data', folder]
    for (const args of [
      ['lock', 'write'],
      ['lock', 'diff'],
      ['lock', 'approve', 'bad'],
      ['lock', 'diff', '--json'],
    ]) {
      const { stdout, stderr } = await runHere([...args, ...flags])
      expect(`${stdout}${stderr}`).not.toMatch(HARMFUL)
    }
  })

  test('a log', () => {
    const lines: string[] = []
    const write = (line: string): void => void lines.push(line)
    for (const log of [jsonLog('info', write), textLog('info', write), plainLog('info', write)])
      log('warn', `a ${NASTY}`, { server: NASTY, request: NASTY, error: new Error(NASTY) })
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).not.toMatch(HARMFUL)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: `a ${NASTY}` })
  })
})

test('one module writes to the outputs', () => {
  const sources = join(ROOT, 'packages/cli/src')
  const direct = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !/^(?:terminal\/(?:print|exit)|observe\/plain-log)\.ts$/.test(name))
    .filter(name => /\b(?:stdout|stderr)\.write\(|\bconsole\.\w+\(/.test(readFileSync(join(sources, name), 'utf8')))
  expect(direct).toEqual([])
})
