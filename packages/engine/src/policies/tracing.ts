import type { Call } from '../call.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { redactText, shortId } from '../secrets/redact.ts'
import { readTraceContext } from '../tracing/trace-context.ts'
import type { SpanAttributes, SpanEnd, Tracer } from '../tracing/tracer.ts'
import type { CallEnd, CallObserver } from './observe.ts'

const LONGEST_NAME = 100
const LONGEST_URI = 300
const GOOD: ReadonlySet<string> = new Set(['ok', 'asked'])
// What a client invented is no tool, so that it must not become a series of its own.
const UNKNOWN: ReadonlySet<string> = new Set(['unknown-tool', 'unknown-prompt', 'not-allowed', 'invalid-params'])

/**
 * Makes a span of each call, by the semantic conventions for MCP. Its parent is the `traceparent` in `_meta`; that of the HTTP
 * request is linked, or the parent if there is no other.
 */
export function tracing(tracer: Tracer): CallObserver {
  return {
    onStart(call) {
      const { method, meta, link, cancellation } = call
      const own = readTraceContext(meta.traceparent, meta.tracestate)
      const http = readTraceContext(link.traceparent)
      const target = targetOf(call)
      const name = target === undefined ? method : `${method} ${target}`
      const attributes = serverAttributes(call)
      cancellation.span = tracer.start({ name, kind: 'server', parent: own ?? http, link: own && http, attributes })
    },
    onEnd(call, end) {
      call.cancellation.span?.end({ ...spanEndOf(end), target: UNKNOWN.has(end.outcome) ? undefined : targetOf(call) })
    },
  }
}

/** What is said of a method and its target, at both ends. */
export function operationAttributes(method: string, target: string | undefined): SpanAttributes {
  return {
    'mcp.method.name': method,
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': target }),
    ...(method === 'prompts/get' && { 'gen_ai.prompt.name': target }),
  }
}

/** How a call ended, in the words of the conventions. */
export function spanEndOf({ outcome, durationMs, error }: CallEnd): SpanEnd {
  if (GOOD.has(outcome)) return { durationMs }
  if (outcome === 'failed' || outcome === 'tool-failed') return { durationMs, errorType: 'tool_error' }
  const code = error instanceof RpcError ? String(error.code) : undefined
  const message = error instanceof RpcError ? redactText(error.message, LONGEST_URI) : undefined
  const errorType = outcome === 'timeout' || outcome === 'cancelled' ? outcome : (code ?? outcome)
  return { durationMs, errorType, statusCode: code, message }
}

function targetOf({ method, params: { name } }: Call): string | undefined {
  const isNamed = method === 'tools/call' || method === 'prompts/get'
  return isNamed && typeof name === 'string' ? redactText(name, LONGEST_NAME) : undefined
}

function serverAttributes(call: Call): SpanAttributes {
  const { id, method, params, caller, link } = call
  const isHttp = link.transport !== 'stdio' && link.transport !== 'memory'
  return {
    ...operationAttributes(method, targetOf(call)),
    'mcp.protocol.version': caller.revision.version,
    // The whole of it would open the session.
    'mcp.session.id': link.session && shortId(link.session.id),
    'mcp.resource.uri': typeof params.uri === 'string' ? redactText(params.uri, LONGEST_URI) : undefined,
    'jsonrpc.request.id': redactText(String(id), LONGEST_NAME),
    'network.transport': isHttp ? 'tcp' : 'pipe',
    'network.protocol.name': isHttp ? (link.transport === 'websocket' ? 'websocket' : 'http') : undefined,
    'client.address': link.address,
  }
}
