import { tool } from '@causeway/engine'

const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required })
const string = (description, more = {}) => ({ type: 'string', ...(description && { description }), ...more })
const simple = (name, description, run) => tool({ name, description }, run)
const user = words => ({ messages: [{ role: 'user', content: { type: 'text', text: words } }] })
const words = content =>
  [content]
    .flat()
    .map(block => block.text ?? '')
    .join('')
const told = answer => `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`

const DEFAULTS = object(
  {
    name: string('Name', { default: 'John Doe' }),
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: string('Status', { enum: ['active', 'inactive', 'pending'], default: 'active' }),
    verified: { type: 'boolean', default: true },
  },
  [],
)

const titled = names => names.map((title, i) => ({ const: `value${i + 1}`, title }))
const OPTIONS = ['option1', 'option2', 'option3']
const ENUMS = object(
  {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) } },
  },
  [],
)

const NAME = { message: 'What is your name?', schema: object({ name: string() }) }
const said = (answer, key, otherwise) => (answer.action === 'accept' ? answer.content[key] : otherwise)

/** Tools that ask the client before they answer. */
export const asks = [
  tool(
    { name: 'test_sampling', description: 'Asks the model', input: object({ prompt: string('What to ask') }) },
    async ({ prompt }, ctx) => {
      const { content } = await ctx.sample('sample', { ...user(prompt), maxTokens: 100 })
      return `LLM response: ${words(content)}`
    },
  ),
  tool(
    { name: 'test_elicitation', description: 'Asks the user', input: object({ message: string('What to ask') }) },
    async ({ message }, ctx) => {
      const schema = object({ username: string("User's response"), email: string("User's email address") })
      const answer = await ctx.elicit('user', { message, schema })
      return `User response: action: ${answer.action}, content: ${JSON.stringify(answer.content ?? {})}`
    },
  ),
  simple('test_elicitation_sep1034_defaults', 'Asks with defaults', async (_, ctx) =>
    told(await ctx.elicit('form', { message: 'Please review the defaults', schema: DEFAULTS })),
  ),
  simple('test_elicitation_sep1330_enums', 'Asks with choices', async (_, ctx) =>
    told(await ctx.elicit('form', { message: 'Please choose', schema: ENUMS })),
  ),
  simple('test_streaming_elicitation', 'Asks, whatever the era', async (_, ctx) =>
    said(await ctx.elicit('user_name', NAME), 'name', 'nobody'),
  ),
  simple('test_input_required_result_elicitation', 'Asks for a name', async (_, ctx) => {
    const answer = await ctx.elicit('user_name', NAME)
    return `Hello, ${said(answer, 'name', 'stranger')}!`
  }),
  simple('test_input_required_result_sampling', 'Asks the model for a capital', async (_, ctx) => {
    const asked = { ...user('What is the capital of France?'), maxTokens: 100 }
    return words((await ctx.sample('capital_question', asked)).content)
  }),
  simple('test_input_required_result_list_roots', 'Asks for roots', async (_, ctx) => {
    const roots = await ctx.roots('client_roots')
    return `Roots: ${roots.map(root => root.uri).join(', ')}`
  }),
  simple('test_input_required_result_request_state', 'Asks, and carries state', async (_, ctx) => {
    const schema = object({ ok: { type: 'boolean' } })
    const answer = await ctx.elicit('confirm', { message: 'Please confirm', schema })
    return `state-ok: ${answer.action}`
  }),
  simple('test_input_required_result_multiple_inputs', 'Asks three things at once', async (_, ctx) => {
    const answers = await ctx.ask({
      user_name: {
        method: 'elicitation/create',
        params: { mode: 'form', message: NAME.message, requestedSchema: NAME.schema },
      },
      greeting: { method: 'sampling/createMessage', params: { ...user('Generate a greeting'), maxTokens: 50 } },
      client_roots: { method: 'roots/list', params: {} },
    })
    return `Answered: ${Object.keys(answers).join(', ')}`
  }),
  simple('test_input_required_result_multi_round', 'Asks twice', async (_, ctx) => {
    const name = await ctx.elicit('step1', {
      message: 'Step 1: What is your name?',
      schema: object({ name: string() }),
    })
    const schema = object({ color: string() })
    const color = await ctx.elicit('step2', { message: 'Step 2: What is your favorite color?', schema })
    return `${said(name, 'name', 'Somebody')} likes ${said(color, 'color', 'no colour')}.`
  }),
  simple('test_input_required_result_tampered_state', 'Asks, and trusts only its own state', async (_, ctx) => {
    const schema = object({ ok: { type: 'boolean' } })
    const answer = await ctx.elicit('confirm', { message: 'Please confirm', schema })
    return `Confirmed: ${answer.action}`
  }),
  simple('test_input_required_result_capabilities', 'Asks only for what the client can do', async (_, ctx) => {
    if (ctx.supports('elicitation')) return said(await ctx.elicit('user_name', NAME), 'name', 'nobody')
    if (!ctx.supports('sampling')) return 'The client cannot be asked.'
    return words((await ctx.sample('greeting', { ...user('Generate a greeting'), maxTokens: 50 })).content)
  }),
]
