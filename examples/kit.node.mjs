// Tests of a server's tools with node:test; with vitest, import `test` from there.
// oxlint-disable typescript/no-floating-promises -- the runner waits for them
import { test } from 'node:test'
import { createServer, tool } from '@causeway/engine'
import { connect, expectTool, fakeUser, lintDefinitions } from '@causeway/engine/testing'

const divide = tool(
  {
    name: 'divide',
    description: 'Divides one number by another',
    readOnly: true,
    input: {
      type: 'object',
      properties: {
        a: { type: 'number', description: 'What is divided' },
        b: { type: 'number', description: 'By what' },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  },
  ({ a, b }) => {
    if (b === 0) throw new Error('b must not be 0')
    return { quotient: a / b }
  },
)
const greet = tool({ name: 'greet', description: 'Asks for a name and greets', readOnly: true }, async (_, ctx) => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const answer = await ctx.elicit('name', { message: 'Your name?', schema })
  return answer.action === 'accept' ? `Hello ${answer.content.name}` : 'Hello you'
})
const server = createServer({ name: 'example', version: '1.0.0', log: false }).add(divide, greet)

test('a tool returns, fails and refuses', async () => {
  const dividing = expectTool(connect(server), 'divide')
  await dividing.returns({ a: 6, b: 3 }, { quotient: 2 })
  await dividing.fails({ a: 1, b: 0 }, /must not be 0/)
  await dividing.refuses({ a: 1 }, 'b')
})

test('nothing that the schema allows breaks it', async () => {
  await expectTool(connect(server), 'divide').survives({ count: 200 })
})

test('a person answers', async () => {
  const user = fakeUser({ forms: [{ name: 'Ada' }, 'decline'] })
  const greeting = expectTool(connect(server, user), 'greet')
  await greeting.returns({}, 'Hello Ada')
  await greeting.returns({}, 'Hello you')
})

test('clients and models understand the definitions', async () => {
  await lintDefinitions(connect(server))
})
