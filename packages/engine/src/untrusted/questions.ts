import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { cleanDefinition, withWords } from './clean-definition.ts'
import type { Fence } from './fence.ts'
import { shown } from './shown.ts'

const ELICIT = 'elicitation/create'

/** The questions of another server, with nothing hidden in their texts; what is sent back stays exact. */
export const cleanQuestions = (result: Result): Result =>
  withAsks(result, params => {
    const { requestedSchema, message, messages, systemPrompt } = params
    return {
      ...params,
      ...(message !== undefined && { message: shown(message, 0) }),
      ...(isObject(requestedSchema) && { requestedSchema: cleanDefinition(requestedSchema) }),
      ...(messages !== undefined && { messages: shown(messages, 0) }),
      ...(systemPrompt !== undefined && { systemPrompt: shown(systemPrompt, 0) }),
    }
  })

/**
 * Its questions to a person, fenced, under the name of who asks. What a model is to complete (sampling) is left as it
 * is: it is an instruction by its nature, and the model that gets it knows nothing of the fence.
 */
export const fencedQuestions = (result: Result, writer: string, fence: Fence): Result =>
  withAsks(result, (params, method) => {
    if (method !== ELICIT) return params
    const { message, requestedSchema } = params
    const label = (words: string): string => (/\s/.test(words) ? fence.around(words) : fence.without(words))
    return {
      ...params,
      ...(typeof message === 'string' && { message: `The ${writer} asks:\n${fence.around(message)}` }),
      ...(isObject(requestedSchema) && { requestedSchema: withWords(requestedSchema, label) }),
    }
  })

function withAsks(result: Result, change: (params: Params, method: unknown) => Params): Result {
  const { inputRequests } = result
  if (!isObject(inputRequests)) return result
  const asks = Object.entries(inputRequests).map(([key, ask]): [string, unknown] =>
    isObject(ask) && isObject(ask.params) ? [key, { ...ask, params: change(ask.params, ask.method) }] : [key, ask],
  )
  return { ...result, inputRequests: Object.fromEntries(asks) }
}
