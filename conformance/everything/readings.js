import { prompt, resource, template, text } from '@causeway/engine'
import { PNG } from './samples.js'

const said = (name, mimeType, description) => ({ uri: `test://${name}`, name, description, mimeType })

/** Resources and a family of them. */
export const resources = [
  resource(said('static-text', 'text/plain', 'Words'), () => 'This is the content of the static text resource.'),
  resource(said('static-binary', 'image/png', 'A picture'), () => Buffer.from(PNG, 'base64')),
  resource(said('watched-resource', 'text/plain', 'To be subscribed to'), () => 'Watch me.'),
  template(
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Data by id',
      mimeType: 'application/json',
    },
    ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  ),
]

const argument = (name, description) => ({ name, description, required: true })

/** Prompts, plain and with everything. */
export const prompts = [
  prompt({ name: 'test_simple_prompt', description: 'Words' }, () => 'This is a simple prompt for testing.'),
  prompt(
    {
      name: 'test_prompt_with_arguments',
      description: 'Words with blanks',
      arguments: [{ ...argument('arg1', 'First'), complete: ['hello', 'help', 'hero'] }, argument('arg2', 'Second')],
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  ),
  prompt(
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A resource and words',
      arguments: [argument('resourceUri', 'The resource')],
    },
    ({ resourceUri: uri }) => [
      { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
      text('Please process the embedded resource above.'),
    ],
  ),
  prompt({ name: 'test_prompt_with_image', description: 'A picture and words' }, () => [
    { type: 'image', data: PNG, mimeType: 'image/png' },
    text('Please analyze the image above.'),
  ]),
  prompt({ name: 'test_input_required_result_prompt', description: 'Asks before it speaks' }, async (_, ctx) => {
    const schema = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] }
    const answer = await ctx.elicit('user_context', { message: 'What context should the prompt use?', schema })
    return `Context: ${answer.action === 'accept' ? String(answer.content.context) : 'none'}`
  }),
]
