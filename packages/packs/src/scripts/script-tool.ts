import { dataFrom } from '@causeway/engine/policies'
import { tool } from '@causeway/engine'
import type { Context, Tool, ToolResult } from '@causeway/engine'
import { run } from '../support/processes/exec.ts'
import { variableOf } from './header.ts'
import type { ScriptArgument, ScriptHeader } from './header.ts'

/** What runs a script, and where; nothing of it is a client's. */
export interface ScriptCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

// What Linux takes for one variable, less its name.
const LONGEST_VALUE = 100_000

/** A script as a tool: its arguments are variables of its environment, and never part of a command line. */
export function scriptTool(header: ScriptHeader, command: ScriptCommand): Tool {
  const { name, description, flags, timeoutSeconds } = header
  return tool(
    {
      name,
      ...(description !== '' && { description }),
      readOnly: flags.has('readOnly'),
      ...(!flags.has('readOnly') && { destructive: flags.has('destructive') }),
      idempotent: flags.has('idempotent'),
      openWorld: flags.has('openWorld'),
      input: schemaOf(header.arguments),
      task: 'optional',
      use: [dataFrom(`script ${name}`)],
    },
    (input: unknown, ctx) => {
      if (timeoutSeconds !== undefined) ctx.allowTime(timeoutSeconds * 1000)
      return runScript(header, { ...command, env: { ...command.env, ...variablesOf(header, input) } }, ctx)
    },
  )
}

function schemaOf(args: readonly ScriptArgument[]): Record<string, unknown> {
  const required = args.filter(one => one.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(one => [one.name, propertyOf(one)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

const propertyOf = ({ type, values, default: fallback, description }: ScriptArgument): Record<string, unknown> => ({
  type,
  ...(values && { enum: values }),
  ...(fallback !== undefined && { default: fallback }),
  ...(description !== '' && { description }),
})

/** Each argument in its variable; one that was not given has none. */
function variablesOf({ arguments: args }: ScriptHeader, input: unknown): Record<string, string> {
  const given = input as Readonly<Record<string, string | number | boolean | undefined>>
  const entries = args.flatMap(({ name }) => {
    const value = given[name]
    if (value === undefined) return []
    const text = String(value)
    if (text.includes('\0')) throw new Error(`Parameter '${name}' must not contain NUL.`)
    if (Buffer.byteLength(text) > LONGEST_VALUE)
      throw new Error(`Parameter '${name}' is longer than ${LONGEST_VALUE} bytes, which scripts cannot take.`)
    return [[variableOf(name), text] as const]
  })
  return Object.fromEntries(entries)
}

async function runScript({ json }: ScriptHeader, command: ScriptCommand, ctx: Context): Promise<ToolResult> {
  const { code, signal, stdout, stderr } = await run({
    ...command,
    signal: ctx.signal,
    wild: true,
    onLines: lines => ctx.progress(lines.length, lines.at(-1)?.slice(0, 500)),
  })
  if (code === 0) return json ? asJson(stdout) : { content: [{ type: 'text', text: stdout }] }
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
  const parts = [`The script ${how}.`, stderr.trim(), stdout.trim()].filter(part => part !== '')
  return { content: [{ type: 'text', text: parts.join('\n') }], isError: true }
}

function asJson(output: string): ToolResult {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The script declares @output json, and wrote something else: ${why}`, { cause })
  }
  const content = [{ type: 'text' as const, text: JSON.stringify(value) }]
  return typeof value === 'object' && value !== null ? { content, structuredContent: value } : { content }
}
