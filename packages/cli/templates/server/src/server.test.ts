import { deepEqual, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { server } from './server.ts'

// No sockets: the same messages as over any transport, in every revision of the protocol.
for (const version of versions) {
  test(`the tool converts temperatures, in ${version}`, async () => {
    const { structuredContent, content } = await connect(server, { version }).request('tools/call', {
      name: 'convert_temperature',
      arguments: { degrees: 100, to: 'fahrenheit' },
    })
    const [{ text }] = content as [{ text: string }]
    deepEqual(structuredContent ?? JSON.parse(text), { degrees: 212 })
  })
}

test('an argument that does not fit the schema is refused with what is allowed', async () => {
  await rejects(connect(server).call('convert_temperature', { degrees: 1, to: 'kelvin' }), /celsius/)
})

test('the resource can be read, and the prompt filled in', async () => {
  const client = connect(server)
  const { contents } = await client.request('resources/read', { uri: 'my-server://scales' })
  match(JSON.stringify(contents), /Fahrenheit/)
  const { messages } = await client.request('prompts/get', { name: 'plan_a_day', arguments: { city: 'Oslo' } })
  match(JSON.stringify(messages), /Oslo/)
})
