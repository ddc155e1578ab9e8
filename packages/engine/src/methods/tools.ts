import { adopt, after } from '../awaitable.ts'
import type { Awaitable, Call, Handle } from '../call.ts'
import { checkBlocks, isContent, isToolResult, text } from '../define/content.ts'
import type { ToolResult } from '../define/content.ts'
import type { Context } from '../define/context.ts'
import type { Tool } from '../define/define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { compose } from '../policies/policy.ts'
import { checkParamHeaders, paramHeaders } from '../protocol/headers.ts'
import { TASKS_CAPABILITY, TASKS_EXTENSION } from '../protocol/tasks/kinds.ts'
import { noteRepairs, withRepairs } from '../results/repairs.ts'
import { orOf } from '../schema/nearest.ts'
import type { Problem } from '../schema/problems.ts'
import { Invalid, compile } from '../schema/schema.ts'
import { shownSchema } from '../schema/shown-schema.ts'
import type { Checker } from '../schema/schema.ts'
import { appsMeta } from './apps.ts'
import { asking } from './asking.ts'
import type { ComposedShelf } from '../catalog/composed-shelf.ts'
import { isForApps } from '../catalog/plain-lists.ts'
import { hintOf } from '../catalog/shelf.ts'
import type { Info, ToolEntry } from '../catalog/shelf.ts'
import { notStreaming, runStream, unknownStream } from './streaming.ts'

const ANYTHING = { type: 'object', properties: {} } as const

/** What can be chosen about all tools of a server. */
export interface ToolOptions {
  /** Take arguments that the schema refuses for what they were meant to be, where that loses nothing. */
  readonly repair: boolean
}

/** A tool of this server: schemas compiled, policies composed around it; a malformed one throws an error that says how to fix it. */
export function readyTool(tool: Tool, { repair }: ToolOptions): ToolEntry {
  const { name, input: inputSchema, output: outputSchema } = tool
  const input = compiled(name, 'input', () => withObjectRoot(compile(inputSchema ?? ANYTHING)))
  const output =
    outputSchema === undefined ? undefined : compiled(name, 'output', () => compile(outputSchema, 'output'))
  if (input.json.type !== 'object') {
    throw new TypeError(
      `Tool '${name}': the input schema must have "type": "object" at its root, since arguments are named.${shapeHint(inputSchema)}`,
    )
  }
  checkRequired(name, input.json)
  const { stream } = tool
  const run: Handle = stream
    ? call => runStream(tool, call, () => after(input.check(call.params.arguments ?? {}), orRefuse(name)))
    : call => asking(call, ctx => runTool({ tool, input, output, repair }, call, ctx))
  return {
    key: name,
    ...listedAs(tool, toolInfo(tool, shownSchema(input.json), output?.json)),
    schema: input.json,
    headers: paramHeaders(name, input.json),
    ...(tool.aliases && { aliases: tool.aliases }),
    ...(tool.keywords !== undefined && { keywords: tool.keywords }),
    ...hintOf(tool.cache),
    ...(stream && { stream }),
    run: onlyAsTask(tool, tool.use ? compose(tool.use, run) : run),
  }
}

/** A tool that runs only as a task says so to a client that waits for it. */
function onlyAsTask({ name, task }: Tool, run: Handle): Handle {
  if (task !== 'required') return run
  return call => {
    if (call.task) return run(call)
    const why = `Tool '${name}' runs only as a task`
    if (call.caller.revision.capabilities.has(TASKS_CAPABILITY))
      throw fault('method-not-found', `${why}: send "task" with the call, such as {"ttl": 3600000}`)
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw fault('missing-capability', `${why}, which this client does not support`, { requiredCapabilities })
  }
}

/** A list of schemas by name is how other libraries take arguments. */
const shapeHint = (input: unknown): string =>
  isObject(input) && Object.values(input).some(one => isObject(one) && '~standard' in one)
    ? ' Did you mean z.object({ … })?'
    : ''

// A schema with one of these may say elsewhere what an argument is.
const ELSEWHERE = ['patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

/** An argument that is required, and described nowhere, is a slip of the pen. */
function checkRequired(name: string, json: Record<string, unknown>): void {
  const { properties, required, additionalProperties } = json
  if (!isObject(properties) || !Array.isArray(required)) return
  if (isObject(additionalProperties) || additionalProperties === true || ELSEWHERE.some(key => key in json)) return
  const missing = required.find(one => !Object.hasOwn(properties, String(one)))
  if (missing !== undefined)
    throw new TypeError(
      `Tool '${name}', input schema: '${String(missing)}' is required, but is not among its properties`,
    )
}

/** Hosts want `"type": "object"` at the root; a union of objects is one, though it need not say so. */
function withObjectRoot(input: Checker): Checker {
  const { json } = input
  return json.type === undefined && isObjectUnion(json, 0) ? { ...input, json: { type: 'object', ...json } } : input
}

function isObjectUnion({ anyOf, oneOf, type }: Record<string, unknown>, depth: number): boolean {
  const choices = anyOf ?? oneOf
  if (!Array.isArray(choices)) return type === 'object'
  return depth < 8 && choices.length > 0 && choices.every(one => isObject(one) && isObjectUnion(one, depth + 1))
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
    ...taskSupport(tool),
    ...(_meta && { _meta }),
  }
}

const taskSupport = ({ task = 'never' }: Tool): Record<string, unknown> =>
  task === 'never' ? {} : { execution: { taskSupport: task } }

/** How it is listed: to clients that show views with its view, to others as if there were none. */
function listedAs(tool: Tool, info: Info): Pick<ToolEntry, 'info' | 'withoutApps'> {
  const ui = appsMeta(tool)
  if (!ui) return { info }
  const shown = { ...info, _meta: { ...tool._meta, ui } }
  return { info: shown, withoutApps: ui.visibility?.includes('model') === false ? null : info }
}

interface Ready extends ToolOptions {
  readonly tool: Tool
  readonly input: Checker
  readonly output: Checker | undefined
}

function runTool(ready: Ready, call: Call, ctx: Context): Awaitable<Result> {
  const { tool, input, output } = ready
  const run = (checked: unknown): Awaitable<Result> =>
    after(adopt(tool.run(checked as never, ctx)), value =>
      output ? structured(tool.name, value, output) : plain(tool.name, value),
    )
  return after(input.check(call.params.arguments ?? {}), checked =>
    checked instanceof Invalid ? runRepaired(ready, call, checked, run) : run(checked),
  )
}

/** What the schema refuses is tried once more as what it can be taken for; the refusal is that of what was sent. */
function runRepaired(
  { tool: { name }, input, repair }: Ready,
  call: Call,
  refused: Invalid,
  run: (checked: unknown) => Awaitable<Result>,
): Awaitable<Result> {
  const repaired = repair ? input.repair(call.params.arguments ?? {}) : undefined
  if (!repaired) throw invalidArguments(name, refused.problems)
  return after(input.check(repaired.value), checked => {
    if (checked instanceof Invalid) throw invalidArguments(name, refused.problems)
    noteRepairs(call, repaired.repairs)
    return after(run(checked), result => withRepairs(call, result))
  })
}

const orRefuse =
  (name: string) =>
  (checked: unknown): unknown => {
    if (checked instanceof Invalid) throw invalidArguments(name, checked.problems)
    return checked
  }

function invalidArguments(name: string, problems: readonly Problem[]): Error {
  return fault('invalid-arguments', `Invalid arguments for tool '${name}'`, { tool: name, problems })
}

/** With an output schema the value is the answer, unless it is spelled out with its structured part. */
function structured(name: string, value: unknown, output: Checker): Awaitable<Result> {
  const spelled = isToolResult(value) && ('structuredContent' in value || value.isError === true) ? value : undefined
  if (spelled) checkBlocks(spelled.content, `Tool '${name}' returned malformed content`)
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

function plain(name: string, value: unknown): Result {
  if (typeof value === 'string') return { content: [text(value)] }
  if (value === undefined) return { content: [] }
  const result = spelledOut(value)
  if (!result) return asJson(value)
  checkBlocks(result.content, `Tool '${name}' returned malformed content`)
  return { ...result }
}

function spelledOut(value: unknown): ToolResult | undefined {
  if (isToolResult(value)) return value
  if (isContent(value)) return { content: [value] }
  return Array.isArray(value) && value.length > 0 && value.every(isContent) ? { content: value } : undefined
}

/** Data as text and as itself; what writes itself as something else, such as a date, counts as that. */
function asJson(value: unknown): Result {
  const data: unknown = isObject(value) && typeof value.toJSON === 'function' ? value.toJSON('') : value
  if (data instanceof Map || data instanceof Set || (typeof data === 'number' && !Number.isFinite(data))) {
    const what = typeof data === 'number' ? String(data) : data.constructor.name
    throw new TypeError(`A tool returned ${what}, which JSON has no value for: return an object, an array or a text`)
  }
  const written = JSON.stringify(data) as string | undefined
  if (written === undefined) throw new TypeError(`A tool returned a ${typeof data}, which JSON cannot express`)
  return { content: [text(written)], structuredContent: data }
}

/** The method `tools/call`. */
export const callTool =
  (tools: ComposedShelf<ToolEntry>): Handle =>
  call => {
    const { name, arguments: args } = call.params
    if (typeof name !== 'string') throw fault('invalid-params', 'Invalid params: "name" must be the name of a tool')
    if (args !== undefined && !isObject(args))
      throw fault('invalid-params', 'Invalid params: "arguments" must be an object')
    return after(tools.find(name, call.caller), entry => {
      if (call.link.stream && !entry) throw unknownStream(name)
      // What is for views is called by them, not through another tool.
      if (!entry || (call.through !== undefined && isForApps(entry))) return unknownTool(name, tools, call)
      if (call.link.stream && !entry.stream) throw notStreaming(name)
      const { headers } = call.link
      // A client that calls it through another tool cannot know its headers.
      if (entry.headers && headers?.required && call.through === undefined)
        checkParamHeaders(headers, entry.headers, args)
      return entry.run(call)
    })
  }

function unknownTool(name: string, tools: ComposedShelf<ToolEntry>, call: Call): Awaitable<never> {
  const shown = cut(name, 200)
  if (call.direct) throw fault('method-not-found', `Method not found: ${shown}`)
  return after(tools.suggest(name, call.caller), suggestions => {
    const hint = suggestions.length > 0 ? { hint: `Did you mean ${orOf(suggestions)}?` } : {}
    const data = suggestions.length > 0 ? { suggestions } : undefined
    throw fault('unknown-tool', `Unknown tool: ${shown}`, data, { ...hint, subject: shown })
  })
}
