import { after } from '../awaitable.ts'
import type { Awaitable, ByteStream, Call, StreamSummary } from '../call.ts'
import { Context } from '../define/context.ts'
import type { DuplexSummary, Tool } from '../define/define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'

/** Run a tool that streams: what it returns goes out as it is made, and what it takes comes in as it is read. */
export function runStream(tool: Tool, call: Call, check: () => Awaitable<unknown>): Awaitable<Result> {
  const { stream } = call.link
  if (!stream) throw needsStream(tool.name, call)
  return after(check(), checked => streamed(tool, checked, stream, new Context(call)))
}

async function streamed(tool: Tool, input: unknown, stream: ByteStream, ctx: Context): Promise<Result> {
  stream.begin()
  const value = tool.run(input as never, ctx, stream.incoming)
  const summary = isByteSource(value) ? await sendAll(value, tool, stream) : asSummary(await value)
  if (summary && tool.stream !== 'out') stream.finish(summary)
  return { content: [], ...(summary && { structuredContent: summary }) }
}

/** Each piece is written before the next one is asked for; the generator is ended when they are no longer taken. */
async function sendAll(source: ByteSource, tool: Tool, stream: ByteStream): Promise<StreamSummary> {
  const sink = stream.open(tool.sends ?? { method: tool.name })
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await iterator.next()
      if (step.done) return summarise(tool, step.value, sink)
      if (!(step.value instanceof Uint8Array))
        throw new TypeError(`Tool '${tool.name}' streamed something that is not a Uint8Array`)
      await sink.write(step.value)
    }
  } catch (error) {
    // Not waited for: a generator that is busy answers when it is done, which may be never.
    iterator.return?.()?.catch(() => {})
    throw error
  }
}

function summarise({ stream }: Tool, value: unknown, sink: ReturnType<ByteStream['open']>): StreamSummary {
  const summary = asSummary(value)
  const { sent, received } = stream === 'duplex' ? (summary as DuplexSummary) : { sent: summary, received: summary }
  sink.end(sent ?? {})
  return received ?? {}
}

type ByteSource = AsyncIterable<unknown, unknown, undefined>

const isByteSource = (value: unknown): value is ByteSource =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const asSummary = (value: unknown): StreamSummary => (isObject(value) ? value : {})

function needsStream(name: string, { direct }: Call): Error {
  const words = direct ? 'Use StreamMessage to initiate streaming' : 'Tool requires streaming'
  const what = `'${name}' sends or takes bytes. Connect to /ws and begin with a message of the type "start".`
  return fault('method-not-found', `${words}: ${what}`, { tool: name })
}

/** The refusal of a stream to a tool that does not stream. */
export const notStreaming = (name: string): Error =>
  fault('method-not-found', `Tool does not support streaming: call '${cut(name, 100)}' with tools/call`, {
    method: cut(name, 100),
  })

/** The refusal of a stream to a tool that is not there. */
export const unknownStream = (name: string): Error =>
  fault('method-not-found', 'Method not found', { method: cut(name, 100) })
