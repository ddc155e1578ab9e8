import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Feature, Server } from '@causeway/engine'
import { expect } from 'vitest'
import { scenario } from '../support/scenario.ts'
import { showcase } from '../support/showcase.ts'

/** What every object answers to without being asked. */
const NATURAL = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const

scenario(
  '[S-RPC-10] a method named like a part of every object is unknown',
  { server: showcase, direct: true },
  async peer => {
    for (const method of NATURAL) {
      expect(await peer.error(method)).toEqual({ code: -32601, message: `Method not found: ${method}` })
    }
  },
)

scenario(
  '[S-TOOL-02] [S-PRM-01] so is a tool, a prompt, a resource, a reference, an argument',
  { server: showcase },
  async peer => {
    for (const name of NATURAL) {
      expect(await peer.error('tools/call', { name })).toEqual({ code: -32602, message: `Unknown tool: ${name}` })
      expect(await peer.error('prompts/get', { name })).toEqual({ code: -32602, message: `Prompt not found: ${name}` })
      expect(await peer.error('resources/read', { uri: name })).toMatchObject({
        message: `Resource not found: ${name}`,
      })
      const complete = (ref: object): Promise<unknown> =>
        peer.error('completion/complete', { ref, argument: { name, value: '' } })
      expect(await complete({ type: 'ref/prompt', name })).toMatchObject({ code: -32602 })
      expect(await complete({ type: 'ref/resource', uri: name })).toMatchObject({ code: -32602 })
      expect(await complete({ type: 'ref/prompt', name: 'brief' })).toMatchObject({ code: -32602 })
      expect(await complete({ type: name })).toMatchObject({ code: -32602 })
    }
  },
)

scenario('an unknown argument of such a name is reported, not obeyed', { server: showcase }, async peer => {
  for (const name of NATURAL) {
    peer.send(
      `{"jsonrpc":"2.0","id":"${name}","method":"tools/call","params":${JSON.stringify(peer.envelope({ name: 'rich' })).slice(0, -1)},"arguments":{"a":1,"b":2,"${name}":{"polluted":true}}}}`,
    )
    const { result } = await peer.answered(name)
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(`Unknown parameter '${name}'`) }],
    })
  }
  expect({}).not.toHaveProperty('polluted')
})

const features = (name: string): Feature[] => [
  tool(
    {
      name,
      input: {
        type: 'object',
        properties: Object.fromEntries([[name, { type: 'string' }]]),
        required: [name],
        additionalProperties: false,
      },
    },
    args => JSON.stringify(Object.entries(args)),
  ),
  prompt({ name, arguments: [{ name, required: true }] }, args => JSON.stringify(Object.entries(args))),
  resource({ uri: `x://${name}`, name }, () => name),
  template({ uriTemplate: `y://{${name}}/{other}`, name, complete: { other: ['a'] } }, variables =>
    JSON.stringify(Object.entries(variables)),
  ),
]
const natural = (): Server => createServer({ name: 's', version: '1' }).add(...NATURAL.flatMap(features))

scenario('such names can be given to features, and then work', { server: natural }, async peer => {
  for (const name of NATURAL) {
    const args = Object.fromEntries([[name, 'v']])
    expect(await peer.words(name, args)).toBe(`[["${name}","v"]]`)
    expect(await peer.result('prompts/get', { name, arguments: args })).toMatchObject({
      messages: [{ content: { text: `[["${name}","v"]]` } }],
    })
    expect(await peer.result('resources/read', { uri: `x://${name}` })).toMatchObject({ contents: [{ text: name }] })
    expect(await peer.result('resources/read', { uri: `y://v/w` })).toMatchObject({
      contents: [{ text: '[["__proto__","v"],["other","w"]]' }],
    })
  }
})

scenario('a required argument of such a name is missed when it is missing', { server: natural }, async peer => {
  for (const name of NATURAL) {
    expect(await peer.call(name, {})).toMatchObject({ isError: true })
    expect(await peer.words(name, {})).toMatch(new RegExp(`^Invalid arguments for tool '${name}': .*'${name}'`))
    expect(await peer.error('prompts/get', { name, arguments: {} })).toMatchObject({
      code: -32602,
      message: `Invalid arguments for prompt '${name}': Missing required argument '${name}'.`,
    })
  }
})

scenario('a template variable of such a name has no completer by nature', { server: natural }, async peer => {
  for (const name of NATURAL) {
    const ref = { type: 'ref/resource', uri: `y://{${name}}/{other}` }
    expect(await peer.result('completion/complete', { ref, argument: { name, value: '' } })).toMatchObject({
      completion: { values: [] },
    })
  }
})
