import { fault } from '@causeway/engine'
import { asOwn, cut, isObject, isQuestion } from '@causeway/engine/internal'
import { resultStep } from '@causeway/engine/policies'
import type { Params, Policy, Result } from '@causeway/engine'

const LISTS = ['content', 'contents', 'messages'] as const

/**
 * Results of a server that cannot be used are refused: content that is no list of blocks, on which relies what comes after,
 * questions that no client can be asked, and tasks that nobody follows.
 */
export const wellFormed = (server: string): Policy =>
  resultStep({
    onResult(result, { descriptor }) {
      for (const name of LISTS) {
        const list = result[name]
        if (list !== undefined && !(Array.isArray(list) && list.every(isObject)))
          throw failed(server, `returned ${name} that is not a list of blocks`)
      }
      if (result.resultType === 'input_required') checkQuestions(server, result)
      // What is a task in an extension of the server's is that extension's business.
      if (result.resultType === 'task' && descriptor.extension === undefined)
        throw failed(server, 'returned a task that cannot be followed')
      return result
    },
  })

/** Refuse questions that are none. */
export function checkQuestions(server: string, { inputRequests = {} }: Result | Params): void {
  if (!isObject(inputRequests)) throw failed(server, 'asks, but not by an object of questions')
  for (const ask of Object.values(inputRequests)) {
    if (!isObject(ask) || typeof ask.method !== 'string') throw failed(server, 'asks a question without a method')
    if (!isQuestion(ask.method)) throw failed(server, `asks for '${cut(ask.method, 100)}', which no client can answer`)
    if (ask.params !== undefined && !isObject(ask.params))
      throw failed(server, 'asks a question whose params are no object')
  }
}

const failed = (server: string, what: string): Error => asOwn(fault('tool-failed', `The server '${server}' ${what}`))
