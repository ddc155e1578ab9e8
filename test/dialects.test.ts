import { SPEC_DIALECT, createServer, fault, resource, tool } from '@causeway/engine'
import { concurrency, rateLimit, resultLimit, timeout } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Dialect, Policy, Result } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import * as presets from '../packages/cli/src/presets/dialects.ts'

/** What a client sees: a code with its words, or the words of an error result. */
type Seen = { readonly code: number; readonly message: string } | { readonly result: string }

const dialects: Readonly<Record<string, Dialect>> = { all: SPEC_DIALECT, ...presets }
const NAMES = ['all', 'workstation', 'basics', 'cassini', 'toolkit', 'threats'] as const

const INPUT = {
  type: 'object',
  properties: {
    context: { type: 'string', minLength: 1 },
    verbosity: { enum: ['brief', 'full'] },
    language: { enum: ['go', 'rust'] },
  },
  required: ['context'],
  additionalProperties: false,
} as const

/** A small server in that dialect, with something for every kind of failure. */
function speaking(dialect: Dialect, ...policies: Policy[]): Client {
  const server = createServer({ name: 's', version: '1', dialect })
    .use(...policies)
    .add(
      tool({ name: 'strict', input: INPUT }, () => 'ok'),
      tool({ name: 'fails' }, () => {
        throw new Error('The disk is full')
      }),
      tool({ name: 'hangs' }, () => new Promise<never>(() => {})),
      tool({ name: 'big' }, () => 'x'.repeat(500)),
      tool({ name: 'template' }, () => {
        throw fault('invalid-template-parameters', 'Parameter project_name is missing')
      }),
      resource({ uri: 'template://none', name: 'none' }, () => {
        throw fault('template-not-found', 'Template not found')
      }),
      resource({ uri: 'template://odd', name: 'odd' }, () => {
        throw fault('malformed-template-uri', 'Malformed template URI')
      }),
    )
  return connect(server, { version: '2025-11-25' })
}

async function seen(client: Client, method: string, params: Record<string, unknown>): Promise<Seen> {
  try {
    const { isError, content }: Result = await client.request(method, params)
    expect(isError).toBe(true)
    return { result: (content as { text: string }[])[0]?.text ?? '' }
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return { code, message }
  }
}
const call = (client: Client, name: string, args: object = {}): Promise<Seen> =>
  seen(client, 'tools/call', { name, arguments: args })

type Table = Readonly<Record<(typeof NAMES)[number], Seen>>
const coded = (message: string, codes: readonly (number | 'result')[], results = message): Table =>
  Object.fromEntries(
    NAMES.map((name, i) => [name, codes[i] === 'result' ? { result: results } : { code: codes[i], message }]),
  ) as Table
/** Presets set words of their own before ours. */
const titled = (table: Table, titles: Readonly<Partial<Record<(typeof NAMES)[number], string>>>): Table => ({
  ...table,
  ...Object.fromEntries(
    Object.entries(titles).map(([name, title]) => {
      const { code, message } = table[name as keyof Table] as { code: number; message: string }
      return [name, { code, message: `${title}: ${message}` }]
    }),
  ),
})

test.each([
  ['workstation', -32601, "Method not found: Tool 'xyz' not found"],
  ['basics', -32601, "Method not found: Tool 'xyz' not found"],
  ['cassini', -32001, "Tool not found: Tool 'xyz' not found"],
  ['toolkit', -32602, "Invalid params: Tool 'xyz' not found"],
  ['threats', -32602, "Tool 'xyz' not found"],
])('%s keeps the words of a tool that says itself what is not found', async (name, code, message) => {
  const throwing = tool({ name: 'throws' }, () => {
    throw fault('unknown-tool', "Tool 'xyz' not found")
  })
  const dialect = dialects[name] as Dialect
  const client = connect(createServer({ name: 's', version: '1', dialect }).add(throwing), { version: '2025-11-25' })
  expect(await call(client, 'throws')).toEqual({ code, message })
})

const FAILED = 'The disk is full'
const LATE = "Tool 'hangs' timed out after 0.001 s"
const LARGE = "The result of tool 'big' is larger than 200 bytes"

/** The table of the design: one row per kind, one column per preset. */
const UNKNOWN_TOOL: Table = {
  ...coded('Unknown tool: strikt', [-32602, -32601, -32601, -32001, -32602, -32602]),
  all: { code: -32602, message: "Unknown tool: strikt. Did you mean 'strict'?" },
  workstation: { code: -32601, message: "Method not found: there is no tool 'strikt'" },
  basics: { code: -32601, message: "Method not found: there is no tool 'strikt'" },
  cassini: { code: -32001, message: 'Tool not found: strikt' },
  toolkit: { code: -32602, message: 'Invalid params: Unknown tool: strikt' },
}
const BROKEN = {
  workstation: 'Internal error',
  basics: 'Internal error',
  cassini: 'Tool execution error',
  toolkit: 'Internal error',
}
const TOOL_FAILED = titled(coded(FAILED, ['result', -32603, -32603, -32002, -32603, 'result']), BROKEN)
const TIMEOUT: Table = {
  ...titled(
    coded(LATE, ['result', -32000, -32000, -32002, -32603, 'result'], `${LATE}. Ask for less, or try again later.`),
    { cassini: 'Tool execution error', toolkit: 'Internal error' },
  ),
  workstation: { code: -32000, message: 'Tool execution timeout' },
}
const TOO_LARGE = titled(
  coded(
    LARGE,
    ['result', -32603, -32603, -32002, -32603, 'result'],
    `${LARGE}. Ask for less: narrow the question, or use a limit or an offset if there is one.`,
  ),
  BROKEN,
)
const MISSING = "Invalid arguments for tool 'strict': Missing required parameter 'context' (a string)."
const INVALID: Table = {
  ...titled(coded(MISSING, ['result', -32602, -32602, -32602, -32602, 'result']), {
    workstation: 'Invalid params',
    basics: 'Invalid params',
    cassini: 'Invalid params',
    toolkit: 'Invalid params',
  }),
  threats: { result: 'context parameter is required' },
}
const NOT_FOUND: Table = {
  ...coded('Resource not found: x://none', [-32002, -32002, -32002, -32002, -32000, -32002]),
  toolkit: { code: -32000, message: 'Template not found: x://none' },
}
/** Where words are fixed, what to try instead stands in the data alone. */
const hinted = (code: number, message: string, hint: string): Table => ({
  ...coded(message, Array(6).fill(code)),
  all: { code, message: `${message}. ${hint}` },
})
const RATE = hinted(-32003, 'Rate limit exceeded: burst 1, then 1 per second', 'Try again in 1000 ms.')
const BUSY = hinted(-32004, 'Busy: 0 calls are running and 0 are waiting', 'Try again in 1000 ms.')

describe.each(NAMES)('the dialect of preset %s', name => {
  const dialect = dialects[name] ?? {}

  test('unknown tool', async () => {
    expect(await call(speaking(dialect), 'strikt')).toEqual(UNKNOWN_TOOL[name])
  })

  test('invalid arguments', async () => {
    expect(await call(speaking(dialect), 'strict')).toEqual(INVALID[name])
  })

  test('a tool that failed', async () => {
    expect(await call(speaking(dialect), 'fails')).toEqual(TOOL_FAILED[name])
  })

  test('a timeout', async () => {
    expect(await call(speaking(dialect, timeout(1)), 'hangs')).toEqual(TIMEOUT[name])
  })

  test('a result that is too large', async () => {
    expect(await call(speaking(dialect, resultLimit(200)), 'big')).toEqual(TOO_LARGE[name])
  })

  test('the rate limit', async () => {
    const client = speaking(dialect, rateLimit({ burst: 1, perSecond: 1, now: () => 0 }))
    await client.call('strict', { context: 'x' })
    expect(await call(client, 'strict')).toEqual(RATE[name])
    await expect(client.call('strict')).rejects.toMatchObject({ data: { retryAfterMs: 1000 } })
  })

  test('too many at once', async () => {
    const client = speaking(dialect, concurrency({ running: 0, waiting: 0 }))
    expect(await call(client, 'strict')).toEqual(BUSY[name])
    await expect(client.call('strict')).rejects.toMatchObject({ data: { retryAfterMs: expect.any(Number) } })
  })

  test('a resource that is not there', async () => {
    expect(await seen(speaking(dialect), 'resources/read', { uri: 'x://none' })).toEqual(NOT_FOUND[name])
  })

  test('the protocol’s own errors are everybody’s', async () => {
    const client = speaking(dialect)
    expect(await seen(client, 'nonsense', {})).toEqual({ code: -32601, message: 'Method not found: nonsense' })
    expect(await seen(client, 'tools/call', {})).toMatchObject({ code: -32602 })
    expect(await seen(client, 'initialize', {})).toEqual({ code: -32600, message: 'Already initialized' })
    expect(JSON.parse((await client.raw('{')) ?? '')).toMatchObject({ error: { code: -32700 } })
    expect(JSON.parse((await client.raw('5')) ?? '')).toMatchObject({ error: { code: -32600 } })
  })
})

test('a title is not said twice, and a bug has one too', async () => {
  const server = createServer({ name: 's', version: '1', dialect: presets.workstation }).add(
    tool({ name: 'bug' }, () => {
      throw new TypeError('secret')
    }),
  )
  expect(await call(connect(server), 'bug')).toMatchObject({
    code: -32603,
    message: expect.stringMatching(/^Internal error \(reference \w+\)$/) as string,
  })
  expect(await seen(connect(server), 'tools/call', {})).toEqual({
    code: -32602,
    message: 'Invalid params: "name" must be the name of a tool',
  })
})

test('suggestions go into the data of a protocol error where words are fixed, and into the text of a result', async () => {
  const args = { contxt: 'x' }
  const error = await call(speaking(presets.workstation), 'strict', args)
  expect(error).toMatchObject({ message: expect.not.stringContaining('Did you mean') })
  await expect(speaking(presets.workstation).call('strict', args)).rejects.toMatchObject({
    data: {
      tool: 'strict',
      problems: [
        { argument: 'context', rule: 'required' },
        { argument: 'contxt', hint: "Did you mean 'context'?" },
      ],
    },
  })
  expect(await call(speaking(SPEC_DIALECT), 'strict', args)).toEqual({
    result: [
      "Invalid arguments for tool 'strict':",
      "- Missing required parameter 'context' (a string).",
      "- Unknown parameter 'contxt'. Did you mean 'context'? Supported parameters: context, verbosity, language.",
    ].join('\n'),
  })
})

test('template errors of the toolkit have their own codes', async () => {
  const client = speaking(presets.toolkit)
  expect(await call(client, 'template')).toEqual({
    code: -32002,
    message: 'Parameter validation failed: Parameter project_name is missing',
  })
  expect(await seen(client, 'resources/read', { uri: 'template://none' })).toEqual({
    code: -32000,
    message: 'Template not found',
  })
  expect(await seen(client, 'resources/read', { uri: 'template://odd' })).toEqual({
    code: -32001,
    message: 'Invalid template URI: Malformed template URI',
  })
})

test.each([
  [{ context: '' }, 'context must be non-empty'],
  [{ context: 'x', language: 'cobol' }, "Invalid language 'cobol'. Supported languages: go, rust"],
  [{ context: 'x', verbosity: 'loud' }, "Invalid verbosity 'loud'. Supported values: brief, full"],
  [{ context: 'x', contxt: 1 }, "Unknown parameter 'contxt'. Supported parameters: context, verbosity, language"],
  [{ contxt: 1, verbosity: 'loud' }, 'context parameter is required'],
])('threats tells %j in the document’s words, the first failure only', async (args, words) => {
  expect(await call(speaking(presets.threats), 'strict', args)).toEqual({ result: words })
})
