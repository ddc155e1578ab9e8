import { fault, tool } from '@causeway/engine'
import { pause } from './samples.js'

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const CONFIRM = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] }
const form = (message, requestedSchema) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema },
})

/** Tools that run as tasks. */
export const long = [
  tool(
    {
      name: 'slow_compute',
      description: 'Takes as long as it is told',
      task: 'optional',
      input: { type: 'object', properties: { seconds: { type: 'number' }, label: { type: 'string' } } },
    },
    async ({ seconds = 0, label = 'it' }, ctx) => {
      const end = performance.now() + seconds * 1000
      while (performance.now() < end && !ctx.signal.aborted) {
        await pause(Math.min(100, end - performance.now()))
        ctx.progress(performance.now(), `computing ${label}`)
      }
      return `Computed ${label} for ${seconds} s.`
    },
  ),
  tool({ name: 'failing_job', description: 'Fails after a while', task: 'required' }, async () => {
    await pause(1000)
    throw new Error('This job fails intentionally')
  }),
  tool({ name: 'protocol_error_job', description: 'Ends in an error', task: 'required' }, async () => {
    await pause(200)
    throw fault('internal', 'This job ends in an error of the protocol')
  }),
  tool(
    {
      name: 'confirm_delete',
      description: 'Asks while it works',
      task: 'required',
      input: { type: 'object', properties: { filename: { type: 'string' } } },
    },
    async ({ filename = 'it' }, ctx) => {
      ctx.progress(1, `looking at ${filename}`)
      const sure = await ctx.elicit('confirm', { message: `Delete ${filename}?`, schema: CONFIRM })
      return sure.action === 'accept' && sure.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`
    },
  ),
  tool({ name: 'multi_input', description: 'Asks twice at once', task: 'required' }, async (_, ctx) => {
    ctx.progress(1, 'begun')
    const answers = await ctx.ask({ first: form('Your name?', NAME), second: form('Are you sure?', CONFIRM) })
    return `${answers.first.content?.name ?? 'Somebody'}: ${String(answers.second.action)}`
  }),
  tool({ name: 'test_tool_with_task', description: 'Asks, then works as a task', task: 'required' }, async (_, ctx) => {
    const { content } = await ctx.elicit('user_name', { message: 'What is your name?', schema: NAME })
    ctx.progress(1, 'working')
    await pause(100)
    return `Hello, ${content?.name ?? 'stranger'}!`
  }),
]
