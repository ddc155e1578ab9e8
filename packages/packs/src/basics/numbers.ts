import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'

const twoNumbers = (verb: string) =>
  ({
    type: 'object',
    properties: {
      number1: { type: 'number', description: `First number to ${verb}` },
      number2: { type: 'number', description: `Second number to ${verb}` },
    },
    required: ['number1', 'number2'],
    additionalProperties: false,
  }) as const

const output = { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] } as const

/** Adds two numbers. */
export const addNumbers: Tool = tool(
  {
    name: 'add_numbers',
    title: 'Add Numbers',
    description: 'Adds two numbers and return result. Example: 5 + 3 = 8',
    readOnly: true,
    idempotent: true,
    openWorld: false,
    input: twoNumbers('add'),
    output,
  },
  ({ number1, number2 }) => ({ result: finite(number1 + number2) }),
)

/** Multiplies two numbers. */
export const multiplyNumbers: Tool = tool(
  {
    name: 'multiply_numbers',
    title: 'Multiply Numbers',
    description: 'Multiplies two numbers and return result. Example: 4 * 3 = 12',
    readOnly: true,
    idempotent: true,
    openWorld: false,
    input: twoNumbers('multiply'),
    output,
  },
  ({ number1, number2 }) => ({ result: finite(number1 * number2) }),
)

/** JSON has no infinity. */
function finite(result: number): number {
  if (Number.isFinite(result)) return result
  throw new Error(`The result is beyond ±${Number.MAX_VALUE}, the largest number JSON can carry. Use smaller numbers.`)
}
