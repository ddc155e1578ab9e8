import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { BINARY, ROOT } from '../support/spawned.ts'
import { modes } from './clients.ts'
import type { Answer, CallOptions, Talk } from './clients.ts'

const WORKSHOP = join(ROOT, 'test/support/workshop.js')
const CAUSEWAY = [BINARY, 'serve', '--stdio', '--pack', 'basics', '--result-budget', 'off', '--log-level', 'error']

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)
const textOf = ({ content }: Answer): unknown => (content as { text: string }[] | undefined)?.[0]?.text

describe.each(modes)('$name', ({ version, connect }) => {
  describe('with causeway', () => {
    let talk: Talk
    beforeAll(async () => {
      talk = await connect(CAUSEWAY)
    })
    afterAll(() => talk.close())

    test('agrees on a version', () => {
      expect(talk.version).toBe(version)
      expect(talk.server).toBe('causeway')
    })

    test('lists the tools', async () => {
      expect(await talk.tools()).toEqual([
        'add_numbers',
        'multiply_numbers',
        'system_ping',
        'system_echo',
        'generate_secret',
      ])
    })

    test('calls a tool, whose value fits its schema', async () => {
      const answer = await talk.call('add_numbers', { number1: 5, number2: 3 })
      expect(answer.structuredContent).toEqual({ result: 8 })
      expect(textOf(answer)).toBe('{"result":8}')
    })

    test('makes a hundred calls at once', async () => {
      const numbers = Array.from({ length: 100 }, (_, i) => i)
      const answers = await Promise.all(numbers.map(n => talk.call('multiply_numbers', { number1: n, number2: 2 })))
      expect(answers.map(({ structuredContent }) => structuredContent)).toEqual(numbers.map(n => ({ result: n * 2 })))
    })

    test('echoes what JSON can hold', async () => {
      const given = { message: 'æøå 🌉 \u2028 \n"\\', deep: [{ a: [null, true, 1.5] }], big: 'x'.repeat(500_000) }
      expect((await talk.call('system_echo', given)).structuredContent).toEqual(given)
    })

    test('gets a result it can read when arguments are wrong', async () => {
      const answer = await talk.call('add_numbers', { number1: 'five', number3: 3 })
      expect(answer.isError).toBe(true)
      expect(textOf(answer)).toContain("Parameter 'number1' must be a number, got 'five' (a string).")
    })

    test('gets a result it can read when the tool fails', async () => {
      const answer = await talk.call('multiply_numbers', { number1: 1e308, number2: 1e308 })
      expect(answer).toMatchObject({ isError: true })
    })

    test('gets a protocol error for an unknown tool', async () => {
      await expect(talk.call('add_nubmers')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Unknown tool: add_nubmers'),
      })
    })

    test('leaves no process behind', async () => {
      const other = await connect(CAUSEWAY)
      expect(isRunning(other.pid)).toBe(true)
      await other.close()
      expect(isRunning(other.pid)).toBe(false)
    })
  })

  describe('with a server of our own', () => {
    let talk: Talk
    afterEach(() => talk.close())

    test('hears of progress', async () => {
      talk = await connect([WORKSHOP])
      const heard: string[] = []
      const onprogress: NonNullable<CallOptions['onprogress']> = ({ progress, message }) => {
        heard.push(`${progress} ${message}`)
        // The clients forget whom to tell once the answer is there, so it comes only now.
        if (progress === 3) process.kill(talk.pid, 'SIGUSR2')
      }
      expect(textOf(await talk.call('count', {}, { onprogress }))).toBe('counted')
      expect(heard).toEqual(['1 step 1', '2 step 2', '3 step 3'])
    })

    test('cancels a call, and the server gives it up', async () => {
      talk = await connect([WORKSHOP])
      const cancelling = new AbortController()
      const call = talk.call('wait', {}, { signal: cancelling.signal })
      await expect.poll(() => talk.stderr()).toContain('waiting')
      cancelling.abort(new Error('changed my mind'))
      await expect(call).rejects.toThrow('changed my mind')
      await expect.poll(() => talk.stderr()).toContain('given up')
      expect(textOf(await talk.call('shout'))).toBe('whispered')
    })

    test('is asked, and answers', async () => {
      talk = await connect([WORKSHOP], 'Ada')
      expect(textOf(await talk.call('ask'))).toBe('Hello Ada')
    })
  })
})
