import { redirected } from './http-client.ts'
import type { HttpClient, HttpExchange, HttpRequest, RedirectGuard, ResponseHandler } from './http-client.ts'

/** Requests by the platform's own `fetch`, so that it works in a browser as well. */
export class FetchClient implements HttpClient {
  readonly #guard: RedirectGuard

  constructor(guard: RedirectGuard) {
    this.#guard = guard
  }

  async load(): Promise<void> {}

  send(request: HttpRequest, handler: ResponseHandler): HttpExchange {
    const ending = new AbortController()
    void this.#exchange(request, handler, ending.signal)
    return { abort: () => ending.abort() }
  }

  async close(): Promise<void> {}

  async #exchange(request: HttpRequest, handler: ResponseHandler, signal: AbortSignal): Promise<void> {
    try {
      const response = await this.#follow(request, signal, 0)
      if (signal.aborted) return
      handler.onStart(response.status, Object.fromEntries(response.headers))
      const decoder = new TextDecoder()
      const reader = response.body?.getReader()
      for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
        if (signal.aborted) return
        handler.onText(decoder.decode(step.value, { stream: true }), step.value.length)
      }
      if (!signal.aborted) handler.onEnd()
    } catch (error) {
      // It does not say whether the request was sent.
      if (!signal.aborted) handler.onError(error instanceof Error ? error : new Error(String(error)), true)
    }
  }

  async #follow(request: HttpRequest, signal: AbortSignal, redirects: number): Promise<Response> {
    const { url, method, headers, body } = request
    const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: 'manual' })
    // A browser does not say where to: it could only be followed with the token and everything else.
    if (response.type === 'opaqueredirect')
      throw new Error(`The server redirects ${method} requests, which is not followed`)
    const location = response.headers.get('location')
    const next = redirected(request, { status: response.status, location, redirects }, this.#guard)
    if (!next) return response
    await response.body?.cancel()
    return this.#follow(next, signal, redirects + 1)
  }
}
