import { createServer, prompt, resource, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'

// What a client shows to its model: say what the tool does, and what each argument means.
export const convertTemperature = tool(
  {
    name: 'convert_temperature',
    description: 'Converts a temperature between Celsius and Fahrenheit',
    readOnly: true,
    input: {
      type: 'object',
      properties: {
        degrees: { type: 'number', description: 'The temperature to convert' },
        to: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'The unit to convert to' },
      },
      required: ['degrees', 'to'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { degrees: { type: 'number' } },
      required: ['degrees'],
      additionalProperties: false,
    },
  },
  // The types of the arguments and of the result follow from the schemas.
  ({ degrees, to }) => ({ degrees: to === 'celsius' ? ((degrees - 32) * 5) / 9 : (degrees * 9) / 5 + 32 }),
)

// What a client can read, by its address.
export const scales = resource(
  { uri: 'my-server://scales', name: 'scales', description: 'Fixed points of both scales', mimeType: 'text/markdown' },
  () => '| | Celsius | Fahrenheit |\n|---|---|---|\n| water freezes | 0 | 32 |\n| water boils | 100 | 212 |\n',
)

// What a person can choose in a client to begin with.
export const planADay = prompt(
  { name: 'plan_a_day', description: 'Plans a day by the weather', arguments: [{ name: 'city', required: true }] },
  ({ city }) => `Ask for the weather in ${city}. Give temperatures in both scales, and plan a day outside.`,
)

export const server: Server = createServer({ name: 'my-server', version: '0.1.0' }).add(
  convertTemperature,
  scales,
  planADay,
)
