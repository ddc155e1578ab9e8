import { createServer, serveStdio, tool } from '@causeway/engine'
import { rateLimit, timeout } from '@causeway/engine/policies'
import type { Server } from '@causeway/engine'
import { z } from 'zod'

// Tools are values: they can be listed, renamed, tested and packed. Any Standard Schema library will do.
const forecast = tool(
  {
    name: 'forecast',
    description: 'Temperature in a city',
    readOnly: true,
    input: z.object({ city: z.string(), days: z.number().int().default(1) }),
    output: z.object({ celsius: z.number() }),
  },
  ({ city, days }, ctx) => {
    ctx.progress(0.5, `asking for ${city}`)
    return { celsius: 20 + days } // a type error unless it fits `output`
  },
)

// One way to ask the user, in every revision. Ask before you act: the handler is run again with the answer.
const wipe = tool({ name: 'wipe', destructive: true, input: z.object({ path: z.string() }) }, async ({ path }, ctx) => {
  const schema = z.object({ yes: z.boolean() })
  const sure = await ctx.elicit('sure', { message: `Delete ${path}?`, schema })
  return sure.action === 'accept' && sure.content.yes ? `Deleted ${path}` : 'Left alone'
})

export const server: Server = createServer({ name: 'weather', version: '1.0.0' })
  .use(rateLimit({ burst: 60, perSecond: 1 }), timeout(30_000))
  .add(forecast, wipe)

if (process.argv.includes('--stdio')) await serveStdio(server)
