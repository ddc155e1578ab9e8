import { pathToFileURL } from 'node:url'
import { createServer, serveStdio, tool } from '@causeway/engine'

const RATES = { EUR: 1, USD: 1.1, JPY: 160 }
const CURRENCIES = Object.keys(RATES)

/** Arguments are checked before this runs; what it throws is read by the model. */
const convert = tool(
  {
    name: 'convert_currency',
    description: 'Converts an amount of money at fixed example rates. Use for EUR, USD and JPY.',
    readOnly: true,
    input: {
      type: 'object',
      properties: {
        amount: { type: 'number', minimum: 0, description: 'How much, in the currency "from"' },
        from: { type: 'string', enum: CURRENCIES, description: 'The currency of the amount' },
        to: { type: 'string', enum: CURRENCIES, description: 'The currency that is wanted' },
      },
      required: ['amount', 'from', 'to'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { amount: { type: 'number' }, currency: { type: 'string' } },
      required: ['amount', 'currency'],
    },
  },
  ({ amount, from, to }) => {
    if (from === to) throw new Error(`"from" and "to" are both ${from}: nothing to convert`)
    return { amount: Math.round((amount / RATES[from]) * RATES[to] * 100) / 100, currency: to }
  },
)

export const server = createServer({ name: 'money', version: '1.0.0', instructions: 'Converts money.' }).add(convert)

// Served if it is the program, and not if a test imports it.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await serveStdio(server)
