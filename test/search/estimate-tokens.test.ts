import { readFileSync } from 'node:fs'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { createServer, estimateTokens } from '@causeway/engine'
import type { Info } from '@causeway/engine'
import { ownPacks } from './evaluation.ts'

const server = createServer({ name: 'all', version: '1', log: false })
for (const pack of ownPacks()) server.mount(pack)

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const off = (text: string): number => estimateTokens(text) / countTokens(text) - 1

describe('the estimate, beside a tokenizer', () => {
  test('of each of our definitions it is at most a tenth off, of all of them together a twentieth', async () => {
    const definitions = (await server.listed('tool')).map((info: Info) => JSON.stringify(info))
    expect(definitions.length).toBeGreaterThan(60)
    const wrong = definitions.filter(text => Math.abs(off(text)) > 0.1)
    expect(wrong.map(text => `${off(text).toFixed(3)} ${text}`)).toEqual([])
    const sum = (count: (text: string) => number): number => definitions.reduce((all, text) => all + count(text), 0)
    expect(Math.abs(sum(estimateTokens) / sum(countTokens) - 1)).toBeLessThan(0.05)
  })

  test.each(['SECURITY.md', 'ARCHITECTURE.md', 'packages/engine/src/server.ts', 'test/schema/2025-11-25.json'])(
    'of prose, source and JSON it is at most a tenth off: %s',
    path => {
      expect(Math.abs(off(file(path)))).toBeLessThan(0.1)
    },
  )

  test.each([
    ['Russian', 'Съешь ещё этих мягких французских булок, да выпей же чаю. Инструменты читают файлы.'],
    ['Chinese', '工具由模型读取，预算有限。默认列表应当更小，其余的可以通过搜索找到并按名称调用。'],
    ['German', 'Werkzeuge werden von Modellen gelesen; größere Ergebnisse müssen gekürzt werden.'],
    ['base64', Buffer.from(file('SECURITY.md')).toString('base64').slice(0, 4000)],
  ])('of %s it is at most a quarter off', (_, text) => {
    expect(Math.abs(off(text))).toBeLessThan(0.25)
  })
})

describe('logs', () => {
  let state = 7
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const hex = (length: number): string => Array.from({ length }, () => next(16).toString(16)).join('')
  const at = (): string => new Date(1.7e12 + next(1e9) * 100).toISOString()
  const address = (): string => Array.from({ length: 4 }, () => next(256)).join('.')
  const lines = (make: () => string): string => Array.from({ length: 200 }, make).join('\n')

  test.each([
    [
      'a web server',
      lines(() => `${address()} - - [${at()}] "GET /api/v1/users/${next(99_999)} HTTP/1.1" 200 ${next(9999)} "-"`),
    ],
    [
      'JSON',
      lines(() =>
        JSON.stringify({ time: at(), level: 'info', msg: 'request completed', requestId: hex(32), ms: next(999) }),
      ),
    ],
    [
      'a service',
      lines(
        () => `${at()} INFO  [worker-${next(16)}] Processed order ${next(1e6)} in ${next(500)}ms (trace=${hex(16)})`,
      ),
    ],
    [
      'a kernel',
      lines(
        () =>
          `Nov 16 10:${next(60)}:${next(60)} host kernel: [${next(1e6)}.${next(1e6)}] usb 1-${next(9)}: device ${next(99)}`,
      ),
    ],
    ['figures', lines(() => `${next(1e6)},${next(100)}.${next(10_000)},${next(100)}`)],
    ['bytes', lines(() => Array.from({ length: 16 }, () => hex(2)).join(' '))],
  ])('of %s it is at most a tenth off', (_, text) => {
    expect(Math.abs(off(text))).toBeLessThan(0.1)
  })
})

test('nothing costs nothing, and a long text is read once', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens('word')).toBe(1)
  for (const unit of ['a', 'A', '1', '-', ' ', '\n', 'é', '字', '😀', '\ud800']) {
    const tokens = estimateTokens(unit.repeat(1_000_000))
    expect(tokens).toBeGreaterThan(0)
    expect(Number.isSafeInteger(tokens)).toBe(true)
  }
})
