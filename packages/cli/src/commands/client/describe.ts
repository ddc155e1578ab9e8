import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { withServer } from '../../remote/open-server.ts'
import { print, printJson, table } from '../../terminal/print.ts'
import { findTool } from '../../serve/find-tool.ts'
import type { ListedProperty, ListedTool } from '../../serve/find-tool.ts'
import { UsageError } from '../../config/usage-error.ts'

/** Show what one tool does and which arguments it takes. */
export async function describe(args: Args): Promise<number> {
  const [name, ...rest] = args.positionals
  if (name === undefined || rest.length > 0) throw new UsageError(`Name one tool. Usage: ${args.command.usage}`)
  return withServer(args, async server => {
    const tool = await findTool(server, name)
    await (isGiven(args, 'json') ? printJson(tool) : print(inWords(tool)))
    return 0
  })
}

function inWords({ name, description = '', annotations = {}, inputSchema }: ListedTool): string {
  const { properties = {}, required = [] } = inputSchema
  const rows = Object.entries(properties).map(([key, property]) => {
    const need = required.includes(key) ? 'required' : 'optional'
    return [`  ${key}`, [`${typeOf(property)}, ${need}${note(property)}`, property.description].join('  ')] as const
  })
  const takes = rows.length === 0 ? ['It takes no arguments.'] : ['Arguments:', table(rows)]
  return [`${name}: ${description}`, '', effectOf(annotations), '', ...takes].join('\n').trimEnd()
}

function effectOf({ readOnlyHint, destructiveHint }: Readonly<Record<string, boolean>>): string {
  if (readOnlyHint) return 'It changes nothing.'
  return destructiveHint === false ? 'It writes.' : 'It may change or destroy something.'
}

function typeOf({ type, enum: values }: ListedProperty): string {
  if (Array.isArray(type)) return type.join(' or ')
  if (typeof type === 'string') return type
  // A list of values without a type says what it takes.
  return values ? [...new Set(values.map(kindOf))].join(' or ') : 'any value'
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

function note({ enum: values, default: initial }: ListedProperty): string {
  const choices = values && values.map(value => JSON.stringify(value)).join(' | ')
  const fallback = initial !== undefined && `default ${JSON.stringify(initial)}`
  const parts = [choices, fallback].filter(Boolean)
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}
