import { APPS_REVISION } from '@causeway/engine/browser'
import { isRecord } from './values.ts'
import type { Fields, ToolResult } from './values.ts'

/** What a host tells its view. */
export interface HostEvents {
  onInput(args: Fields): void
  onResult(result: ToolResult): void
  onCancelled(reason: string): void
  onContext(context: Fields): void
}

interface Waiting {
  resolve(result: Fields): void
  reject(error: Error): void
}

const PATIENCE_MS = 120_000
const NOT_FOUND = -32601

/** The way to the host: JSON-RPC by messages between windows, as MCP Apps has it. */
export class Bridge {
  readonly #events: HostEvents
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #capabilities: Fields = {}

  constructor(events: HostEvents) {
    this.#events = events
    addEventListener('message', ({ source, data }) => {
      if (source === parent && isRecord(data) && data.jsonrpc === '2.0') this.#receive(data)
    })
  }

  /** Can the host do that: `serverTools`, `message`, … */
  can(capability: string): boolean {
    return isRecord(this.#capabilities[capability])
  }

  async open(name: string): Promise<void> {
    const result = await this.#request('ui/initialize', {
      protocolVersion: APPS_REVISION,
      appInfo: { name: `causeway-${name}`, version: '1.0.0' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    })
    if (isRecord(result.hostCapabilities)) this.#capabilities = result.hostCapabilities
    if (isRecord(result.hostContext)) this.#events.onContext(result.hostContext)
    this.notify('ui/notifications/initialized', {})
  }

  /** Call a tool of our server, with the rights of the person who looks at the view. */
  async call(name: string, args: Fields): Promise<ToolResult> {
    return asResult(await this.#request('tools/call', { name, arguments: args }))
  }

  /** Write to the conversation in the person's name; the host asks them, or not. */
  async say(text: string): Promise<void> {
    await this.#request('ui/message', { role: 'user', content: [{ type: 'text', text }] })
  }

  notify(method: string, params: Fields): void {
    parent.postMessage({ jsonrpc: '2.0', method, params }, '*')
  }

  #request(method: string, params: Fields): Promise<Fields> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error(`The host did not answer within ${PATIENCE_MS / 1000} s`))
      }, PATIENCE_MS)
      const settle = (): void => {
        clearTimeout(late)
        this.#waiting.delete(id)
      }
      this.#waiting.set(id, {
        resolve: result => (settle(), resolve(result)),
        reject: error => (settle(), reject(error)),
      })
      parent.postMessage({ jsonrpc: '2.0', id, method, params }, '*')
    })
  }

  #receive({ id, method, params, result, error }: Fields): void {
    if (typeof method === 'string') {
      const given = isRecord(params) ? params : {}
      if (id === undefined) this.#notified(method, given)
      else this.#answer(id, method)
      return
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    if (isRecord(error)) waiting?.reject(new Error(String(error.message)))
    else waiting?.resolve(isRecord(result) ? result : {})
  }

  #answer(id: unknown, method: string): void {
    const isKnown = method === 'ping' || method === 'ui/resource-teardown'
    const answer = isKnown ? { result: {} } : { error: { code: NOT_FOUND, message: `Method not found: ${method}` } }
    parent.postMessage({ jsonrpc: '2.0', id, ...answer }, '*')
  }

  #notified(method: string, params: Fields): void {
    if (method === 'ui/notifications/tool-input') {
      this.#events.onInput(isRecord(params.arguments) ? params.arguments : {})
    } else if (method === 'ui/notifications/tool-result') {
      this.#events.onResult(asResult(params))
    } else if (method === 'ui/notifications/tool-cancelled') {
      this.#events.onCancelled(typeof params.reason === 'string' ? params.reason : '')
    } else if (method === 'ui/notifications/host-context-changed') {
      this.#events.onContext(params)
    }
  }
}

function asResult({ content, structuredContent, isError }: Fields): ToolResult {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  return { content: blocks, isError: isError === true, ...(structuredContent !== undefined && { structuredContent }) }
}
