import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { BINARY, Spawned } from '../support/spawned.ts'
import { modes } from './clients.ts'
import type { Answer } from './clients.ts'
import { httpModes } from './http-clients.ts'
import { listeningAt } from './listening.ts'

// The official WebSocket transport is written for what browsers and later versions of Node have.
vi.stubGlobal('WebSocket', WebSocket)

interface Talking {
  tools(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

const SEARCH = ['find_tools', 'describe_tool', 'call_tool']
const LISTINGS = [
  '--search off',
  '--search on',
  '--search auto',
  '--search auto --search-threshold 500',
  '--preset all',
]
const PINNED = ['read_file', 'search_files', 'edit_file', 'git_status']
const textOf = ({ content }: Answer): string => (content as { text: string }[])[0]?.text ?? ''

/** What a client does that knows nothing of search, and what a model does that reads the list. */
async function plays({ tools, call }: Talking, listing: string): Promise<string[]> {
  const listed = await tools()
  expect(listed).toEqual(expect.arrayContaining(PINNED))
  const isAll = listing === '--preset all'
  const hasSearch = !isAll && listing !== '--search off'
  expect(SEARCH.filter(name => listed.includes(name))).toEqual(hasSearch ? SEARCH : [])
  expect(listed.includes('add_numbers')).toBe(isAll)
  const isBrief = listing === '--search on' || listing.includes('threshold')
  expect(listed.includes('git_log')).toBe(!isBrief)
  // By its name, listed or not.
  expect((await call('add_numbers', { number1: 5, number2: 3 })).structuredContent).toEqual({ result: 8 })
  expect(textOf(await call('read_file', { path: 'LICENSE', limit: 1 }))).toContain('MIT')
  if (hasSearch) await searches(call)
  return listed
}

async function searches(call: Talking['call']): Promise<void> {
  expect(textOf(await call('find_tools', { query: 'multiply two numbers' }))).toMatch(/^multiply_numbers\(/m)
  expect(textOf(await call('describe_tool', { name: 'multiply_numbers' }))).toContain('"outputSchema"')
  const args = { number1: 4, number2: 3 }
  const product = await call('call_tool', { name: 'multiply_numbers', arguments: args })
  expect(product.structuredContent).toEqual({ result: 12 })
  const wrong = await call('call_tool', { name: 'multiply_numbers', arguments: { number1: 4 } })
  expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining("'number2'")])
  const unknown = await call('call_tool', { name: 'multiply_nubmers', arguments: args })
  expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining("'multiply_numbers'")])
}

/** Every client is served, each with another listing: what is listed does not depend on who asks. */
const turn = <Mode>(all: readonly Mode[], listing: string): Mode[] =>
  all.filter((_, i) => i % LISTINGS.length === LISTINGS.indexOf(listing))

describe.each(LISTINGS)('causeway serve %s', listing => {
  const flags = ['serve', ...listing.split(' '), '--log-level', 'error']

  test.each(turn(modes, listing))('on stdio, $name', async ({ connect }) => {
    const talk = await connect([BINARY, ...flags])
    expect(await plays(talk, listing)).toContain('read_file')
    await talk.close()
  })

  describe('over HTTP', () => {
    let server: Spawned
    beforeAll(() => {
      server = new Spawned([...flags, '--http', '--port', '0', '--log-level', 'info'])
    })
    afterAll(async () => {
      server.process.kill('SIGKILL')
      await server.ended
    })

    test.each(turn(httpModes, listing))('$name', async ({ connect }) => {
      const talk = await connect(await listeningAt(server))
      expect(await plays(talk, listing)).toContain('read_file')
      await talk.close()
    })
  })
})

describe('--search-promote', () => {
  test.each(modes.filter(({ version }) => version === '2025-11-25'))(
    '$name sees what it found',
    async ({ connect }) => {
      const talk = await connect([BINARY, 'serve', '--search', 'on', '--search-promote', '--log-level', 'error'])
      expect(await talk.tools()).not.toContain('multiply_numbers')
      await talk.call('find_tools', { query: 'multiply two numbers', limit: 1 })
      expect(await talk.tools()).toContain('multiply_numbers')
      expect((await talk.call('multiply_numbers', { number1: 4, number2: 3 })).structuredContent).toEqual({
        result: 12,
      })
      await talk.close()
    },
  )
})
