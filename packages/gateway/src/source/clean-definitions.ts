import type { Info, Params } from '@causeway/engine'
import { paramHeaders } from '@causeway/engine/client'
import type { ParamHeader } from '@causeway/engine/client'
import { cleanDefinition } from '@causeway/engine/internal'
import type { Lists } from './fetch-lists.ts'
import { inSlices } from './slices.ts'

/** What is made of a definition, whatever it is called here. */
interface Made {
  readonly info: Info
  readonly headers?: readonly ParamHeader[] | undefined
}

/** Definitions of a server with nothing hidden in them, made once for each. */
export class CleanDefinitions {
  readonly #made = new WeakMap<Params, Made>()

  of(definition: Params): Made {
    const known = this.#made.get(definition)
    if (known) return known
    const made = { info: cleanDefinition(definition), headers: headersOf(definition) }
    this.#made.set(definition, made)
    return made
  }

  /** Make those of new lists ahead, so that to show them takes no long time at once. */
  async prepare({ tools, prompts, resources, templates }: Lists): Promise<void> {
    for (const list of [tools, prompts, resources, templates]) await inSlices(list, one => void this.of(one))
  }
}

/** Which arguments of a tool HTTP headers repeat. */
function headersOf({ name, inputSchema }: Params): readonly ParamHeader[] | undefined {
  if (inputSchema === undefined) return undefined
  try {
    const headers = paramHeaders(String(name), (inputSchema ?? {}) as Params)
    return headers.length > 0 ? headers : undefined
  } catch {
    return undefined
  }
}
