import { fault } from '@causeway/engine'
import { asOwn, isObject } from '@causeway/engine/internal'
import { resultStep } from '@causeway/engine/policies'
import type { Policy } from '@causeway/engine'

/** Content of a server that is no list of blocks is refused: what comes after relies on blocks. */
export const wellFormed = (server: string): Policy =>
  resultStep({
    onResult(result) {
      const { content } = result
      if (content === undefined || (Array.isArray(content) && content.every(isObject))) return result
      throw asOwn(fault('tool-failed', `The server '${server}' returned content that is not a list of blocks`))
    },
  })
