import { RpcError, fault, tool } from '@causeway/engine'
import type { Policy, Tool } from '@causeway/engine'

const twoNumbers = (verb: string) =>
  ({
    type: 'object',
    properties: {
      number1: { type: 'number', description: `First number to ${verb}` },
      number2: { type: 'number', description: `Second number to ${verb}` },
    },
    required: ['number1', 'number2'],
  }) as const

const output = { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] } as const

const NEEDED = "Parameters 'number1' and 'number2' are required and must be numbers."

/** Says first what both tools need, then what is wrong with the arguments; they are checked at once, without a promise. */
const sayWhatIsNeeded: Policy = function sayWhatIsNeeded(call, next) {
  try {
    return next(call)
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'invalid-arguments') throw error
    throw fault('invalid-arguments', NEEDED, { detail: NEEDED, ...(error.data as object) }, { cause: error })
  }
}

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
    use: [sayWhatIsNeeded],
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
    use: [sayWhatIsNeeded],
  },
  ({ number1, number2 }) => ({ result: finite(number1 * number2) }),
)

/** JSON has no infinity. */
function finite(result: number): number {
  if (Number.isFinite(result)) return result
  throw new Error(`The result is beyond ±${Number.MAX_VALUE}, the largest number JSON can carry. Use smaller numbers.`)
}
