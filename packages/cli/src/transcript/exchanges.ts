import type { Params, Result } from '@causeway/engine'
import { isObject, readResultOf } from '@causeway/engine/internal'
import type { Entry, Transcript } from './transcript.ts'

/** One request as it was recorded: what it was asked, what came meanwhile, what it was answered, in the neutral model. */
export interface Exchange {
  readonly method: string
  readonly params: Params
  readonly asks: Record<string, Question>
  readonly progress: Params[]
  result?: Result
  error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

interface Question {
  readonly method: string
  readonly params: Params
}

interface Said {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Params
  readonly result?: Result
  readonly error?: NonNullable<Exchange['error']>
}

/** The requests of a transcript with their answers, in the order in which they were made. */
export function exchangesIn({ entries }: Transcript): Exchange[] {
  const reading = new Reading()
  for (const entry of entries) reading.take(entry)
  return reading.all
}

class Reading {
  readonly all: Exchange[] = []
  readonly #open = new Map<unknown, Exchange>()
  #version: unknown

  take({ from, message }: Entry): void {
    const said = message as unknown as Said
    if (from === 'client') this.#request(said)
    else if (said.method === undefined) this.#answer(said)
    else if (said.id === undefined) this.#notice(said)
    else this.#question({ method: said.method, params: said.params ?? {} })
  }

  #request({ id, method, params = {} }: Said): void {
    if (method === undefined || id === undefined) return
    this.#version = metaOf(params)['io.modelcontextprotocol/protocolVersion'] ?? this.#version
    const exchange: Exchange = { method, params, asks: {}, progress: [] }
    this.#open.set(id, exchange)
    this.all.push(exchange)
  }

  #answer({ id, result, error }: Said): void {
    const exchange = this.#open.get(id)
    this.#open.delete(id)
    if (!exchange) return
    if (exchange.method === 'initialize' && result) this.#version = result.protocolVersion
    if (result) exchange.result = readResultOf(this.#version, exchange.method, result)
    if (error) exchange.error = error
  }

  /** It belongs to the request that waits; of several, to the last. */
  #question(question: Question): void {
    const asking = [...this.#open.values()].at(-1)
    if (asking) asking.asks[`question-${Object.keys(asking.asks).length + 1}`] = question
  }

  #notice({ method, params = {} }: Said): void {
    if (method !== 'notifications/progress') return
    const { progressToken, ...rest } = params
    const found = [...this.#open.values()].find(one => metaOf(one.params).progressToken === progressToken)
    found?.progress.push(rest)
  }
}

const metaOf = ({ _meta }: Params): Params => (isObject(_meta) ? _meta : {})
