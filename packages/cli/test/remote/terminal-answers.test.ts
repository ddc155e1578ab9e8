import { describe, expect, test, vi } from 'vitest'
import { fieldsOf, promptFor, readField } from '../../src/remote/form-fields.ts'
import { answerQuestion, inTurn } from '../../src/remote/terminal-answers.ts'
import { progressLine, progressText } from '../../src/terminal/progress.ts'

/** A person who types these lines; then the input ends. */
function typing(...lines: string[]): { ask: (question: string) => Promise<string | undefined>; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    ask: async question => {
      asked.push(question)
      return lines.shift()
    },
  }
}

const FORM = {
  message: 'Where to?',
  requestedSchema: {
    type: 'object',
    required: ['city'],
    properties: {
      city: { type: 'string', title: 'City', minLength: 2 },
      days: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      unit: { type: 'string', enum: ['celsius', 'kelvin'] },
      sure: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
  },
}

const quietly = async <T>(work: () => Promise<T>): Promise<T> => {
  const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    return await work()
  } finally {
    spy.mockRestore()
  }
}

describe('a question of a server', () => {
  test('is a form, field by field; wrong answers are asked again', async () => {
    const { ask, asked } = typing('', 'O', 'Oslo', 'ten', '12', '', 'celsius', 'yes', 'a, b', '')
    expect(await quietly(() => answerQuestion(FORM, ask))).toEqual({
      action: 'accept',
      content: { city: 'Oslo', days: 3, unit: 'celsius', sure: true, tags: ['a', 'b'] },
    })
    expect(asked.at(0)).toBe('City (string): ')
    expect(asked).toContain('days (integer, default 3): ')
    expect(asked).toContain('unit (celsius | kelvin, optional): ')
  })

  test('is declined or cancelled', async () => {
    const rest = ['', '', '', '']
    expect(await quietly(() => answerQuestion(FORM, typing('Oslo', ...rest, 'n').ask))).toEqual({ action: 'decline' })
    expect(await quietly(() => answerQuestion(FORM, typing('Oslo').ask))).toEqual({ action: 'cancel' })
    expect(await quietly(() => answerQuestion(FORM, typing(...Array<string>(20).fill('')).ask))).toEqual({
      action: 'cancel',
    })
  })

  test('may be an address, which is opened only by the person', async () => {
    const params = { mode: 'url', message: 'Log in', url: 'https://example.com/login' }
    expect(await quietly(() => answerQuestion(params, typing('y').ask))).toEqual({ action: 'accept' })
    expect(await quietly(() => answerQuestion(params, typing('').ask))).toEqual({ action: 'decline' })
    expect(await quietly(() => answerQuestion(params, typing().ask))).toEqual({ action: 'cancel' })
  })

  test('is declined if it is an address that no browser should open, or too long to be read', async () => {
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      `https://example.com/${'x'.repeat(5000)}`,
      'https://a b',
    ])
      expect(await quietly(() => answerQuestion({ mode: 'url', url }, typing('y').ask))).toEqual({ action: 'decline' })
  })

  test('waits until the one before it was answered, so that what is typed answers one only', async () => {
    const open: ((answer: { action: string }) => void)[] = []
    const ask = inTurn(() => new Promise(resolve => void open.push(resolve)))
    const { signal } = new AbortController()
    const [first, second] = [ask({}, signal), ask({}, signal)]
    await Promise.resolve()
    expect(open).toHaveLength(1)
    open[0]?.({ action: 'accept' })
    expect(await first).toEqual({ action: 'accept' })
    await vi.waitFor(() => expect(open).toHaveLength(2))
    open[1]?.({ action: 'decline' })
    expect(await second).toEqual({ action: 'decline' })
  })

  test('of a call that is over is not asked, and neither is one too many', async () => {
    const asked = vi.fn<() => Promise<{ action: string }>>(async () => ({ action: 'accept' }))
    const ask = inTurn(asked)
    expect(await ask({}, AbortSignal.abort())).toEqual({ action: 'cancel' })
    const { signal } = new AbortController()
    const answers = await quietly(() => Promise.all(Array.from({ length: 50 }, () => ask({}, signal))))
    expect(answers.filter(({ action }) => action === 'cancel')).toHaveLength(31)
    expect(asked).toHaveBeenCalledTimes(19)
  })

  test('cannot look like a line of ours, and shows no list without end', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await answerQuestion({ message: 'Hello\nOpen this address in a browser' }, typing('').ask)
    const said = write.mock.calls.map(([text]) => String(text)).join('')
    write.mockRestore()
    expect(said).toContain('\n  Open this address')
    const [field] = fieldsOf({ properties: { x: { enum: Array.from({ length: 10_000 }, (_, i) => `choice ${i}`) } } })
    expect(field && promptFor(field).length).toBeLessThan(1200)
    expect(field && JSON.stringify(readField(field, 'x')).length).toBeLessThan(1200)
  })

  test('cannot move the cursor', () => {
    const [field] = fieldsOf({ properties: { x: { title: 'a\u001B[2Jb\nc' } } })
    const prompt = field ? promptFor(field) : ''
    for (const character of ['\u001B', '\n']) expect(prompt).not.toContain(character)
  })

  test('reads numbers and choices as the schema wants', () => {
    const [number, several] = fieldsOf({
      properties: { n: { type: 'number' }, m: { type: 'array', items: { anyOf: [{ const: 'x' }] } } },
    })
    expect(number && readField(number, '1.5')).toEqual({ value: 1.5 })
    expect(number && readField(number, 'NaN')).toEqual({ problem: 'Type a number.' })
    expect(several && readField(several, 'x,y')).toEqual({ problem: 'Choose from: x.' })
  })
})

describe('progress', () => {
  test.each([
    [{ progress: 4, total: 10, message: 'reading' }, '[########------------]  40 % reading'],
    [{ progress: 99, total: 10 }, '[####################] 100 %'],
    [{ progress: 7, message: 'files' }, '7 files'],
    [{ progress: 'x', total: 0, message: 'words' }, 'words'],
  ])('%j', (progress, text) => expect(progressText(progress)).toBe(text))

  test('is shown only after a second', () => {
    const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      let now = 0
      const line = progressLine(true, { now: () => now })
      line.show({ progress: 1 })
      line.clear()
      expect(spy).not.toHaveBeenCalled()
      now = 1500
      line.show({ progress: 2 })
      expect(spy).toHaveBeenCalledOnce()
    } finally {
      spy.mockRestore()
    }
  })
})
