import { after } from '../awaitable.ts'
import type { Awaitable, Call, Handle } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { argumentOf, proposals, wellFormed } from './completing.ts'
import { unknownPrompt } from './prompts.ts'
import type { Entry } from '../catalog/shelf.ts'

/** The method `completion/complete`. */
export const complete =
  ({ prompts, templates }: Catalog): Handle =>
  call => {
    argumentOf(call.params)
    const { type, name, uri } = isObject(call.params.ref) ? call.params.ref : {}
    if (type === 'ref/prompt' && typeof name === 'string') {
      return after(prompts.find(name, call.caller), entry =>
        entry ? completed(entry, call) : unknownPrompt(name, prompts, call.caller),
      )
    }
    if (type === 'ref/resource' && typeof uri === 'string') {
      return after(templates.find(uri, call.caller), entry => {
        if (entry) return completed(entry, call)
        throw fault('invalid-params', `Invalid params: there is no resource template ${cut(uri, 200)}`)
      })
    }
    throw fault('invalid-params', 'Invalid params: "ref" must be a ref/prompt with a name or a ref/resource with a uri')
  }

const completed = ({ complete }: Entry, call: Call): Awaitable<Result> =>
  after(complete?.(call) ?? proposals([]), wellFormed)
