import { adopt, after } from '../awaitable.ts'
import type { Awaitable, Call, Handle } from '../call.ts'
import { isContent, isToolResult, text } from '../content.ts'
import type { Context } from '../context.ts'
import type { Tool } from '../define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { compose } from '../policies/policy.ts'
import { paramHeaders } from '../protocol/headers.ts'
import type { ParamHeader } from '../protocol/headers.ts'
import { nearest } from '../schema/nearest.ts'
import type { Problem } from '../schema/problems.ts'
import { Invalid, compile } from '../schema/schema.ts'
import type { Checker } from '../schema/schema.ts'
import { asking } from './asking.ts'
import type { Entry, MemoryShelf } from './shelf.ts'

/** A tool made ready: schemas compiled, policies folded around it. */
export interface ToolEntry extends Entry {
  readonly run: Handle
  /** Arguments that HTTP clients of the newest revision repeat in headers. */
  readonly headers: readonly ParamHeader[]
}

const ANYTHING = { type: 'object', properties: {} } as const

/** Make a tool ready; a malformed one throws with what to mend. */
export function readyTool(tool: Tool): ToolEntry {
  const { name, input: inputSchema, output: outputSchema } = tool
  const input = compiled(name, 'input', () => compile(inputSchema ?? ANYTHING))
  const output = outputSchema && compiled(name, 'output', () => compile(outputSchema, 'output'))
  if (input.json.type !== 'object') {
    throw new TypeError(
      `Tool '${name}': the input schema must have "type": "object" at its root, since arguments are named`,
    )
  }
  const run: Handle = call => asking(call, ctx => runTool(tool, input, output, { call, ctx }))
  return {
    key: name,
    info: toolInfo(tool, input.json, output?.json),
    headers: paramHeaders(name, input.json),
    ...(tool.aliases && { aliases: tool.aliases }),
    run: tool.use ? compose(tool.use, run) : run,
  }
}

function compiled(name: string, which: string, make: () => Checker): Checker {
  try {
    return make()
  } catch (cause) {
    throw new TypeError(`Tool '${name}', ${which} schema: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

function toolInfo(tool: Tool, inputSchema: object, outputSchema: object | undefined): Record<string, unknown> {
  const { name, title, description, icons, _meta } = tool
  const annotations = {
    ...(tool.readOnly !== undefined && { readOnlyHint: tool.readOnly }),
    ...(tool.destructive !== undefined && { destructiveHint: tool.destructive }),
    ...(tool.idempotent !== undefined && { idempotentHint: tool.idempotent }),
    ...(tool.openWorld !== undefined && { openWorldHint: tool.openWorld }),
  }
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  }
}

function runTool(
  tool: Tool,
  input: Checker,
  output: Checker | undefined,
  { call, ctx }: { call: Call; ctx: Context },
): Awaitable<Result> {
  return after(input.check(call.params.arguments ?? {}), checked => {
    if (checked instanceof Invalid) throw invalidArguments(tool.name, checked.problems)
    return after(adopt(tool.run(checked as never, ctx)), value =>
      output ? structured(tool.name, value, output) : plain(value),
    )
  })
}

function invalidArguments(name: string, problems: readonly Problem[]): Error {
  const words = `Invalid arguments for tool '${name}'`
  return fault('invalid-arguments', words, { tool: name, problems })
}

/** With an output schema the value is the answer, unless it is spelled out with its structured part. */
function structured(name: string, value: unknown, output: Checker): Awaitable<Result> {
  const spelled = isToolResult(value) && ('structuredContent' in value || value.isError === true) ? value : undefined
  if (spelled?.isError) return { ...spelled }
  return after(output.check(spelled ? spelled.structuredContent : value), checked => {
    if (checked instanceof Invalid) {
      throw new TypeError(
        `Tool '${name}' returned what its output schema forbids: ${checked.problems.map(p => p.what).join(' ')}`,
      )
    }
    return spelled ? { ...spelled, structuredContent: checked } : asJson(checked)
  })
}

function plain(value: unknown): Result {
  if (typeof value === 'string') return { content: [text(value)] }
  if (value === undefined) return { content: [] }
  if (isToolResult(value)) return { ...value }
  if (isContent(value)) return { content: [value] }
  if (Array.isArray(value) && value.length > 0 && value.every(isContent)) return { content: value }
  return asJson(value)
}

/** Data as text and as itself; what writes itself as something else, such as a date, counts as that. */
function asJson(value: unknown): Result {
  const data: unknown = isObject(value) && typeof value.toJSON === 'function' ? value.toJSON('') : value
  const written = JSON.stringify(data) as string | undefined
  if (written === undefined) throw new TypeError(`A tool returned a ${typeof data}, which JSON cannot express`)
  return { content: [text(written)], structuredContent: data }
}

/** The method `tools/call`. */
export const callTool =
  (shelf: MemoryShelf<ToolEntry>): Handle =>
  call => {
    const { name, arguments: args } = call.params
    if (typeof name !== 'string') throw fault('invalid-params', 'Invalid params: "name" must be the name of a tool')
    if (args !== undefined && !isObject(args))
      throw fault('invalid-params', 'Invalid params: "arguments" must be an object')
    return after(shelf.find(name), entry => {
      if (!entry) throw unknownTool(name, shelf)
      return entry.run(call)
    })
  }

function unknownTool(name: string, shelf: MemoryShelf<ToolEntry>): Error {
  const suggestions = nearest(
    name,
    shelf.list().map(({ key }) => key),
  )
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name
  const hint = suggestions.length > 0 ? { hint: `Did you mean ${suggestions.map(s => `'${s}'`).join(' or ')}?` } : {}
  const data = suggestions.length > 0 ? { suggestions } : undefined
  return fault('unknown-tool', `Unknown tool: ${shown}`, data, { ...hint, subject: shown })
}
