import { APPS_REVISION, RpcError, isObject, jsonSize } from '@causeway/engine/browser'
import type { Params, Result } from '@causeway/engine/browser'
import { Line, Rate, VIEW_LIMITS } from './limits.ts'
import type { ViewLimits } from './limits.ts'

/** What a view is shown of, and what it may do. */
export interface Shown {
  /** The definition of the tool that it stands beside. */
  readonly tool: Params
  readonly input: Params
  readonly result: Result
  readonly theme: string
  /** Answers a call of a tool with the rights of the page's user; throws why not. */
  call(name: string, args: Params, signal: AbortSignal): Promise<Result>
}

/** What a view does to its frame. */
export interface FrameEvents {
  onHeight(height: number): void
  /** It did what no view may do: its frame is taken away. */
  onStopped(why: string): void
}

/** A message on its way to the view. */
export type Send = (message: object) => void

const TALLEST = 2000
const CODES = { notFound: -32601, invalid: -32602, refused: -32000 } as const

/**
 * The host's side of a view: what MCP Apps has, less what this page does not do. Whatever a view sends is counted and
 * measured before it is looked at.
 */
export class ViewHost {
  readonly #shown: Shown
  readonly #send: Send
  readonly #events: FrameEvents
  readonly #limits: ViewLimits
  readonly #messages: Rate
  readonly #calls: Rate
  readonly #line: Line
  readonly #ending = new AbortController()

  constructor(shown: Shown, send: Send, events: FrameEvents, limits: ViewLimits = VIEW_LIMITS) {
    this.#shown = shown
    this.#send = send
    this.#events = events
    this.#limits = limits
    this.#messages = new Rate(limits.messagesPerSecond, 1000)
    this.#calls = new Rate(limits.perMinute, 60_000)
    this.#line = new Line(limits)
  }

  /** Nothing more is answered, and what runs is cancelled. */
  close(): void {
    this.#ending.abort(new Error('The view was closed'))
  }

  /** The colours changed. */
  themed(theme: string): void {
    this.#notify('ui/notifications/host-context-changed', { theme })
  }

  receive(message: unknown): void {
    if (this.#ending.signal.aborted) return
    if (!this.#messages.take()) {
      this.close()
      this.#events.onStopped(`It sent more than ${this.#limits.messagesPerSecond} messages in a second.`)
      return
    }
    if (!isObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') return
    const { id, method } = message
    const isRequest = typeof id === 'number' || (typeof id === 'string' && id.length < 100)
    if (jsonSize(message, this.#limits.size) > this.#limits.size) {
      if (isRequest) this.#fail(id, CODES.invalid, `A message may have ${this.#limits.size} characters`)
      return
    }
    const params = isObject(message.params) ? message.params : {}
    if (isRequest) this.#request(id, method, params)
    else this.#notified(method, params)
  }

  #request(id: number | string, method: string, params: Params): void {
    if (method === 'ui/initialize') this.#answer(id, this.#introduction())
    else if (method === 'ping') this.#answer(id, {})
    else if (method === 'ui/request-display-mode') this.#answer(id, { mode: 'inline' })
    else if (method === 'tools/call') void this.#call(id, params)
    else this.#fail(id, CODES.notFound, `This host does not have ${method.slice(0, 100)}`)
  }

  async #call(id: number | string, { name, arguments: args = {} }: Params): Promise<void> {
    if (typeof name !== 'string' || !isObject(args))
      return this.#fail(id, CODES.invalid, 'A call needs the name of a tool')
    if (!this.#calls.take()) {
      return this.#fail(
        id,
        CODES.refused,
        `A view may make ${this.#limits.perMinute} calls in a minute. Try again later.`,
      )
    }
    try {
      const { signal } = this.#ending
      const result = await this.#line.run(() => this.#shown.call(name, args, signal))
      if (!signal.aborted) this.#answer(id, result)
    } catch (error) {
      const code = error instanceof RpcError ? error.code : CODES.refused
      this.#fail(id, code, error instanceof Error ? error.message : String(error))
    }
  }

  #introduction(): object {
    const { tool, theme } = this.#shown
    return {
      protocolVersion: APPS_REVISION,
      hostInfo: { name: 'causeway-console', version: '0.1.0', title: 'Causeway console' },
      hostCapabilities: { serverTools: {} },
      hostContext: {
        theme,
        toolInfo: { tool },
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        platform: 'web',
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        containerDimensions: { maxHeight: TALLEST },
      },
    }
  }

  #notified(method: string, params: Params): void {
    if (method === 'ui/notifications/initialized') {
      this.#notify('ui/notifications/tool-input', { arguments: this.#shown.input })
      this.#notify('ui/notifications/tool-result', this.#shown.result)
    } else if (method === 'ui/notifications/size-changed' && typeof params.height === 'number') {
      this.#events.onHeight(Math.min(TALLEST, Math.max(80, Math.ceil(params.height) || 0)))
    }
  }

  #notify(method: string, params: object): void {
    if (!this.#ending.signal.aborted) this.#send({ jsonrpc: '2.0', method, params })
  }

  #answer(id: number | string, result: object): void {
    this.#send({ jsonrpc: '2.0', id, result })
  }

  #fail(id: number | string, code: number, message: string): void {
    if (!this.#ending.signal.aborted) this.#send({ jsonrpc: '2.0', id, error: { code, message } })
  }
}
