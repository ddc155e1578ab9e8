import { fault } from '@causeway/engine'
import { asOwn, isObject } from '@causeway/engine/internal'
import { resultStep } from '@causeway/engine/policies'
import type { Policy } from '@causeway/engine'

const LISTS = ['content', 'contents', 'messages'] as const

/** Content of a server that is no list of blocks is refused: what comes after relies on blocks, and so do clients. */
export const wellFormed = (server: string): Policy =>
  resultStep({
    onResult(result) {
      for (const name of LISTS) {
        const list = result[name]
        if (list === undefined || (Array.isArray(list) && list.every(isObject))) continue
        throw asOwn(fault('tool-failed', `The server '${server}' returned ${name} that is not a list of blocks`))
      }
      return result
    },
  })
