// Asks the person before it acts: a form, and what happens if it is declined. Written once for every revision.
import { createServer, tool } from '@causeway/engine'
import type { Server, Tool } from '@causeway/engine'

const booked: string[] = []

export const book: Tool = tool(
  {
    name: 'book_table',
    description: 'Books a table, after the person has chosen a time',
    idempotent: false,
    input: {
      type: 'object',
      properties: { restaurant: { type: 'string', description: 'Where' } },
      required: ['restaurant'],
      additionalProperties: false,
    },
  },
  async ({ restaurant }, ctx) => {
    if (!ctx.supports('elicitation')) return 'This client cannot ask: book by phone.'
    // Ask first, act afterwards: once there is an answer, this runs again from the top.
    const answer = await ctx.elicit('time', {
      message: `When do you want to eat at ${restaurant}?`,
      schema: {
        type: 'object',
        properties: {
          time: { type: 'string', enum: ['18:00', '19:00', '20:00'], title: 'Time' },
          people: { type: 'integer', minimum: 1, maximum: 8, default: 2, title: 'People' },
        },
        required: ['time'],
      },
    })
    if (answer.action !== 'accept') return 'Nothing was booked.'
    booked.push(restaurant)
    return `Booked at ${restaurant}, ${answer.content.time}.`
  },
)

export const server: Server = createServer({ name: 'booking', version: '1.0.0', log: false }).add(book)
