import { RpcError, fault } from '@causeway/engine'
import { asOwn, cut, isObject, isQuestion } from '@causeway/engine/internal'
import { resultStep } from '@causeway/engine/policies'
import type { Params, Policy, Result } from '@causeway/engine'

const LISTS = ['content', 'contents', 'messages'] as const

/**
 * Results of a server that cannot be used are refused: content that is no list of blocks, which later steps rely on,
 * questions that no client can be asked, and tasks that cannot be followed.
 */
export const wellFormed = (server: string): Policy =>
  resultStep({
    onResult(result, { descriptor }) {
      for (const name of LISTS) {
        const list = result[name]
        if (list !== undefined && !(Array.isArray(list) && list.every(isObject)))
          throw failed(server, `returned ${name} that is not a list of blocks`)
      }
      checkRoles(server, result)
      if (result.resultType === 'input_required') checkQuestions(server, result)
      // What is a task in an extension of the server's is that extension's business.
      if (result.resultType === 'task' && descriptor.extension === undefined)
        throw failed(server, 'returned a task that cannot be followed')
      return result
    },
    onError(error) {
      // The error that names addresses to log in at.
      const named = error instanceof RpcError && isObject(error.data) ? error.data.elicitations : undefined
      for (const one of Array.isArray(named) ? named : []) checkAddress(server, isObject(one) ? one.url : undefined)
      throw error
    },
  })

/** A prompt is a conversation between a user and an assistant: its messages never speak as the system. */
function checkRoles(server: string, { messages }: Result): void {
  for (const { role } of Array.isArray(messages) ? (messages as readonly Params[]) : [])
    if (role !== 'user' && role !== 'assistant')
      throw failed(
        server,
        `returned messages with the role '${cut(String(role), 100)}', which must be user or assistant`,
      )
}

/** Refuse questions that are none. */
export function checkQuestions(server: string, { inputRequests = {} }: Result | Params): void {
  if (!isObject(inputRequests)) throw failed(server, 'asks, but not by an object of questions')
  for (const ask of Object.values(inputRequests)) {
    if (!isObject(ask) || typeof ask.method !== 'string') throw failed(server, 'asks a question without a method')
    if (!isQuestion(ask.method)) throw failed(server, `asks for '${cut(ask.method, 100)}', which no client can answer`)
    if (ask.params !== undefined && !isObject(ask.params))
      throw failed(server, 'asks a question whose params are no object')
    if (ask.params?.mode === 'url') checkAddress(server, ask.params.url)
  }
}

const LONGEST_ADDRESS = 8192

/** A person opens it: a page of the web, whose host is what it seems. */
function checkAddress(server: string, address: unknown): void {
  const isVisible = typeof address === 'string' && address.length <= LONGEST_ADDRESS && /^[\x21-\x7e]+$/.test(address)
  const url = isVisible && URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw failed(server, 'asks to open what is no address of http or https, in visible ASCII and without a user name')
}

const failed = (server: string, what: string): Error => asOwn(fault('tool-failed', `The server '${server}' ${what}`))
