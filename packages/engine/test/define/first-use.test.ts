import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, prompt, resource, template, textLog, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Feature, Log, Server, Tool } from '@causeway/engine'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import * as z from 'zod'

const quiet = (): Server => createServer({ name: 's', version: '1', log: false })

describe('a definition that would not do what its author thinks is refused at once', () => {
  const loose = { tool, prompt, resource, template } as unknown as Record<
    string,
    (spec: object, run?: unknown) => Feature
  >
  const run = (): string => ''
  test.each([
    [
      'tool',
      { name: 't', inputSchema: {} },
      "tool() 't': there is no 'inputSchema' in a definition. Here that is 'input'.",
    ],
    ['tool', { name: 't', parameters: {} }, "there is no 'parameters' in a definition. Here that is 'input'."],
    ['tool', { name: 't', descripton: '' }, "there is no 'descripton' in a definition. Did you mean 'description'?"],
    ['tool', { name: 't', annotations: {} }, "Here that is 'readOnly', 'destructive', 'idempotent' and 'openWorld'."],
    ['tool', { name: 't', readOnlyHint: true }, "Here that is 'readOnly'."],
    ['tool', { name: 't', zzz: 1 }, "there is no 'zzz' in a definition. There is name, title, description,"],
    ['tool', { description: 'x' }, 'A tool needs a name'],
    ['prompt', { name: 'p', argsSchema: {} }, "Here that is 'arguments'."],
    ['prompt', {}, 'A prompt needs a name'],
    ['resource', { name: 'r', url: 'x://' }, "Here that is 'uri'."],
    ['template', { name: 'm', uri: 'x://{a}' }, "Here that is 'uriTemplate'."],
  ])('%s %j', (kind, spec, words) => {
    expect(() => loose[kind]?.(spec, run)).toThrow(words)
  })

  test('a tool without anything to run', () => {
    expect(() => loose.tool?.({ name: 't' })).toThrow("tool() 't' needs a function as its second argument")
  })

  test('a list, or something else, given to add', () => {
    const one = tool({ name: 't' }, run)
    expect(() => quiet().add([one] as never)).toThrow(
      'add() takes features, not a list of them: write add(...features)',
    )
    expect(() => quiet().add({ name: 't', run })).toThrow('add() takes what tool(), prompt(), resource()')
    expect(() => quiet().add(undefined as never)).toThrow('add() takes what tool()')
  })
})

describe('malformed content is a mistake that the log names', () => {
  const failing = async (value: unknown): Promise<string> => {
    const lines: unknown[] = []
    const log: Log = (_, __, fields) => void lines.push(fields?.error)
    const server = createServer({ name: 's', version: '1', log }).add(
      tool({ name: 't' }, () => value as string),
      prompt({ name: 'p' }, () => value as string),
    )
    await expect(connect(server).call('t')).rejects.toThrow(/^Internal error \(reference /)
    return String(lines.find(line => line instanceof Error))
  }
  test.each([
    [{ content: [{ type: 'text' }] }, "block 0 of type 'text' needs a string 'text'"],
    [{ type: 'image', data: 'x' }, "block 0 of type 'image' needs a string 'mimeType'"],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'audio', data: 5 },
      ],
      "block 1 of type 'audio' needs a string 'data'",
    ],
    [{ type: 'resource_link', uri: 'x://' }, "block 0 of type 'resource_link' needs a string 'name'"],
    [{ type: 'resource', resource: { uri: 'x://' } }, "needs a 'resource' with 'uri' and 'text' or 'blob'"],
  ])('%j', async (value, words) => {
    expect(await failing(value)).toContain(`Tool 't' returned malformed content: `)
    expect(await failing(value)).toContain(words)
  })
})

describe('a server logs to stderr unless told otherwise', () => {
  const broken = tool({ name: 'broken' }, () => (undefined as unknown as string[]).join())
  const written = async (server: Server): Promise<string> => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      await connect(server.add(broken))
        .call('broken')
        .catch(() => {})
      return write.mock.calls.map(([text]) => String(text)).join('')
    } finally {
      write.mockRestore()
    }
  }

  test('where and what went wrong in a tool', async () => {
    const text = await written(createServer({ name: 's', version: '1' }))
    expect(text).toMatch(
      /^\S+Z error internal error reference="[\da-f]{8}" request=1 method="tools\/call" see="docs\/errors\.md#internal"\n {2}TypeError: /,
    )
    expect(text).toContain('first-use.test.ts')
  })

  test('or elsewhere, or nowhere', async () => {
    expect(await written(quiet())).toBe('')
    const lines: string[] = []
    expect(await written(createServer({ name: 's', version: '1', log: (_, message) => lines.push(message) }))).toBe('')
    expect(lines).toContain('internal error')
  })

  test('what clients send begins no line of its own', () => {
    const lines: string[] = []
    textLog('info', line => lines.push(line))('error', 'a\nb', { x: 'c\nd', error: new Error('e\nf'), token: 'secret' })
    const [head, ...rest] = lines.join('').split('\n')
    expect(head).toMatch(/Z error a b x="c\\nd" token="\[redacted\]"$/)
    expect(rest.filter(line => line !== '' && !line.startsWith('  '))).toEqual([])
  })

  test('a reader that went away ends nothing', async () => {
    const script = `import { textLog } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)}
      const log = textLog()
      process.stdin.once('end', () => {
        log('error', 'nobody reads this')
        process.stderr.once('close', () => setImmediate(() => console.log('alive')))
      }).resume()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    child.stderr.destroy()
    await once(child.stderr, 'close')
    child.stdin.end()
    const [text] = (await once(child.stdout, 'data')) as [Buffer]
    expect(String(text)).toBe('alive\n')
    await once(child, 'exit')
  })
})

test('what is more than text comes as blocks', async () => {
  const image = { type: 'image', data: 'aW1n', mimeType: 'image/png' } as const
  const client = connect(
    quiet().add(
      tool({ name: 'image' }, () => [{ type: 'text', text: 'a' }, image]),
      tool({ name: 'data' }, () => ({ content: [{ type: 'text', text: 'a' }, image], structuredContent: { a: 1 } })),
      tool({ name: 'texts' }, () => [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ),
  )
  expect(await client.call('image')).toEqual([{ type: 'text', text: 'a' }, image])
  expect(await client.call('data')).toEqual({ a: 1 })
  expect(await client.call('texts')).toBe('ab')
})

describe('types', () => {
  const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const

  test('a wrong return value is marked where it stands', () => {
    const wrong = tool({ name: 't', output }, () => ({
      // @ts-expect-error a sum is a number
      sum: 'x',
    }))
    expectTypeOf(wrong).toEqualTypeOf<Tool>()
  })

  test('a literal’s defaults are always there', () => {
    const input = {
      type: 'object',
      properties: { a: { type: 'string', default: '' }, b: { enum: ['x', 'y'], default: 'x' }, c: { type: 'number' } },
    } as const
    tool({ name: 't', input }, ({ a, b, c }) => {
      expectTypeOf(a).toEqualTypeOf<string>()
      expectTypeOf(b).toEqualTypeOf<'x' | 'y'>()
      expectTypeOf(c).toEqualTypeOf<number | undefined>()
      return ''
    })
  })

  test('the variables of a template are inferred', () => {
    template({ name: 't', uriTemplate: 'x://{year}/{name:3}{+rest}{?limit,offset*}' }, variables => {
      expectTypeOf(variables.year).toEqualTypeOf<string>()
      expectTypeOf(variables.name).toEqualTypeOf<string>()
      expectTypeOf(variables.rest).toEqualTypeOf<string>()
      expectTypeOf(variables.limit).toEqualTypeOf<string | undefined>()
      expectTypeOf(variables.offset).toEqualTypeOf<string | undefined>()
      // @ts-expect-error there is no such variable
      return String(variables.nope)
    })
  })

  test('literals of every shape are inferred', () => {
    const input = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        both: { allOf: [{ type: 'object', properties: { a: { const: 1 } }, required: ['a'] }, { $ref: '#/$defs/b' }] },
        several: { type: ['string', 'number'] },
      },
      required: ['list', 'pair', 'either', 'both', 'several'],
      $defs: { b: { type: 'object', properties: { b: { type: 'boolean' } }, required: ['b'] } },
    } as const
    tool({ name: 't', input }, ({ list, pair, either, both, several }) => {
      expectTypeOf(list).toEqualTypeOf<{ n: number }[]>()
      expectTypeOf(pair).toEqualTypeOf<[string, number]>()
      expectTypeOf(either).toEqualTypeOf<string | null>()
      expectTypeOf(both.a).toEqualTypeOf<1>()
      expectTypeOf(both.b).toEqualTypeOf<boolean>()
      expectTypeOf(several).toEqualTypeOf<string | number>()
      return ''
    })
  })
})

describe('a union of objects as input', () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ])
  const area: Tool = tool({ name: 'area', input: shape }, input =>
    String(input.kind === 'circle' ? 3 * input.radius ** 2 : input.side ** 2),
  )

  test('is accepted, and shown as an object', async () => {
    const client = connect(quiet().add(area))
    expect((await client.request('tools/list')).tools).toMatchObject([{ inputSchema: { type: 'object' } }])
    expect(await client.call('area', { kind: 'square', side: 2 })).toBe('4')
    await expect(client.call('area', { kind: 'circle' })).rejects.toThrow("Invalid arguments for tool 'area'")
  })

  test('one that may be something else is not', () => {
    const input = { anyOf: [{ type: 'object' }, { type: 'string' }] } as const
    expect(() => quiet().add(tool({ name: 't', input }, () => ''))).toThrow('must have "type": "object" at its root')
  })
})
