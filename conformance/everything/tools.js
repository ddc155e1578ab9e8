import { fault, text, tool } from '@causeway/engine'
import { PNG, WAV, pause } from './samples.js'

const simple = (name, description, run) => tool({ name, description }, run)
const image = { type: 'image', data: PNG, mimeType: 'image/png' }
const embedded = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } })

const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** Tools that only answer. */
export const tools = [
  simple('test_simple_text', 'Answers with words', () => 'This is a simple text response for testing.'),
  simple('test_image_content', 'Answers with a picture', () => image),
  simple('test_audio_content', 'Answers with sound', () => ({ type: 'audio', data: WAV, mimeType: 'audio/wav' })),
  simple('test_embedded_resource', 'Answers with a resource', () =>
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  simple('test_multiple_content_types', 'Answers with words, a picture and a resource', () => [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]),
  simple('test_error_handling', 'Fails', () => {
    throw new Error('This tool intentionally returns an error for testing')
  }),
  simple('test_tool_with_logging', 'Logs while it works', async (_, ctx) => {
    ctx.log('info', 'Tool execution started')
    await pause(50)
    ctx.log('info', 'Tool processing data')
    await pause(50)
    ctx.log('info', 'Tool execution completed')
    return 'Logged three times.'
  }),
  simple('test_tool_with_progress', 'Tells how far it is', async (_, ctx) => {
    ctx.progress(0, undefined, 100)
    await pause(50)
    ctx.progress(50, undefined, 100)
    await pause(50)
    ctx.progress(100, undefined, 100)
    return 'Done.'
  }),
  simple('test_logging_tool', 'Logs to those who want to hear it', (_, ctx) => {
    ctx.log('info', 'A message for those who asked')
    return 'Logged, if you asked for it.'
  }),
  simple('test_reconnection', 'Lets go of the connection and answers later', async (_, ctx) => {
    ctx.detach()
    await pause(100)
    return 'Reconnection test completed.'
  }),
  simple('test_missing_capability', 'Needs a client that can sample', (_, ctx) => {
    if (ctx.supports('sampling')) return 'The client can sample.'
    const requiredCapabilities = { sampling: {} }
    throw fault('missing-capability', 'This needs a client that supports sampling', { requiredCapabilities })
  }),
  tool(
    { name: 'json_schema_2020_12_tool', description: 'Shows its schema as it is', input: JSON_SCHEMA },
    () => 'Valid.',
  ),
  tool(
    {
      name: 'test_custom_header',
      description: 'Repeats an argument in a header',
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, note: { type: 'string' } },
      },
    },
    ({ region }) => `Region: ${region ?? 'none'}`,
  ),
  tool(
    {
      name: 'greet',
      description: 'Greets',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    ({ name }) => `Hello, ${name}!`,
  ),
]
