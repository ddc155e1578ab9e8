import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BINARY } from '../support/spawned.ts'
import { modes } from './clients.ts'
import type { Answer, Talk } from './clients.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-excerpts-')))
const LOG = Array.from({ length: 3000 }, (_, i) => `entry ${i} of a log\n`).join('')
beforeAll(() => writeFileSync(join(root, 'log.txt'), LOG))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const FLAGS = [
  '--preset',
  'all',
  '--root',
  root,
  '--allow-command',
  'cat *',
  '--result-budget',
  '400',
  '--log-level',
  'error',
]

/** A block of either kind of answer. */
interface Block {
  readonly type?: string
  readonly text?: string
  readonly uri?: string
}

describe.each(modes)('$name takes excerpts', ({ connect }) => {
  let talk: Talk
  beforeAll(async () => {
    talk = await connect([BINARY, 'serve', '--stdio', ...FLAGS])
    // It checks structured results against the schemas it was told of.
    await talk.tools()
  })
  afterAll(() => talk.close())

  test('of text, and reads the whole', async () => {
    const { content } = await talk.call('run_command', { command: 'cat log.txt' })
    const blocks = content as readonly Block[]
    const link = blocks.find(({ type }) => type === 'resource_link')
    expect(blocks[0]?.text).toMatch(/^entry 0 of a log\n[^]*characters left out[^]*entry 2999 of a log\n$/)
    let uri: string | undefined = link?.uri
    let whole = ''
    while (uri !== undefined) {
      const answer: Answer = await talk.ask('resources/read', { uri })
      const [part, next] = answer.contents as readonly Block[]
      whole += part?.text ?? ''
      uri = next?.uri
    }
    expect(whole).toBe(LOG)
  })

  test('of structured results, which fit the schema', async () => {
    const { structuredContent } = await talk.call('search_files', { content: 'entry', limit: 900 })
    const { matches, total } = structuredContent as { matches: readonly unknown[]; total: number }
    expect(total).toBe(3000)
    expect(matches.length).toBeGreaterThan(1)
    expect(matches.length).toBeLessThan(900)
  })

  test('and repaired arguments', async () => {
    const { content, _meta } = await talk.call('read_file', { path: 'log.txt', limit: '1' })
    expect((content as readonly Block[])[0]?.text).toBe('entry 0 of a log\n')
    expect(_meta).toMatchObject({ 'dev.causeway/repaired': [{ argument: 'limit', repair: 'number' }] })
  })
})

test('a client that checks structured results takes fenced ones, which have none', async () => {
  const [mode] = modes
  if (!mode) throw new Error('no client')
  const talk = await mode.connect([BINARY, 'serve', '--stdio', ...FLAGS, '--spotlight'])
  try {
    expect(talk.about.instructions).toContain('<<data M>>')
    await talk.tools()
    const { content, structuredContent } = await talk.call('search_files', { content: 'entry', limit: 9 })
    expect(structuredContent).toBeUndefined()
    expect((content as readonly Block[])[0]?.text).toMatch(/^<<data [\da-f]{16}>>\n$/)
  } finally {
    await talk.close()
  }
})
