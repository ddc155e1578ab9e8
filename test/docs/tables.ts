import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { SEARCH_TOOLS } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Server } from '@causeway/engine'
import { COMMAND_LINE_ONLY } from '../../packages/cli/src/config/flag-table.ts'
import { flags } from '../../packages/cli/src/config/flags.ts'
import { assemble } from '../../packages/cli/src/serve/assemble.ts'
import { readArgs } from '../../packages/cli/src/config/args.ts'
import { readConfig } from '../../packages/cli/src/config/config.ts'
import { toolsets } from '../../packages/cli/src/config/toolsets.ts'

/** A tool as lists have it. */
export interface Listed {
  readonly name?: unknown
  readonly description?: unknown
  readonly inputSchema?: { readonly properties?: object; readonly required?: readonly string[] }
  readonly annotations?: Readonly<Record<string, boolean>>
}

const tokensOf = (tool: Listed): number => countTokens(JSON.stringify(tool))
const thousands = (count: number): string => count.toLocaleString('en-US')
const sum = (tools: readonly Listed[]): string => thousands(tools.reduce((all, tool) => all + tokensOf(tool), 0))

async function serving(...flags: readonly string[]): Promise<Server> {
  return assemble(readConfig(readArgs(['--log-level', 'silent', '--allow-command', '*', ...flags]), {}))
}

/** What a client of the newest revision is shown. */
export async function listing(...flags: readonly string[]): Promise<readonly Listed[]> {
  const client = connect(await serving(...flags))
  return (await client.request('tools/list')).tools as readonly Listed[]
}

interface Group {
  readonly name: string
  readonly about: string
  readonly tools: readonly Listed[]
}

/** Every tool there is, whole, by its toolset; the tools to search with come last. */
async function groups(): Promise<readonly Group[]> {
  const tools = (await (await serving()).listed('tool')) as readonly Listed[]
  const named = (names: readonly string[]): readonly Listed[] =>
    tools.filter(({ name }) => names.includes(String(name)))
  const own = toolsets.map(({ name, about, tools: names }) => ({ name, about, tools: named(names) }))
  return [
    ...own,
    { name: 'search', about: 'Find, describe and call what is not listed', tools: named([...SEARCH_TOOLS]) },
  ]
}

/** The groups of tools, how many each has and shows by default, and what it costs to list all of it. */
export async function groupTable(): Promise<string> {
  const shown = new Set((await listing()).map(({ name }) => name))
  const rows = (await groups()).map(({ name, about, tools }) => {
    const listed = tools.filter(tool => shown.has(tool.name)).length
    return `| \`${name}\` | ${about} | ${tools.length} | ${listed || '–'} | ${sum(tools)} |`
  })
  const head = ['| toolset | what it is for | tools | listed by default | tokens of all |', '|---|---|--:|--:|--:|']
  return [...head, ...rows].join('\n')
}

/** Every tool: arguments, effect, the first sentence of its description, and what its whole definition costs. */
export async function toolTables(): Promise<string> {
  const shown = new Set((await listing()).map(({ name }) => name))
  const head = ['| tool | arguments | effect | what it does | tokens |', '|---|---|---|---|--:|']
  const parts = (await groups()).map(({ name, about, tools }) =>
    [`## ${name}`, '', `${about}.`, '', ...head, ...tools.map(tool => toolRow(tool, shown.has(tool.name)))].join('\n'),
  )
  return parts.join('\n\n')
}

function toolRow(tool: Listed, isListed: boolean): string {
  const { name, description, inputSchema, annotations } = tool
  const required = new Set(inputSchema?.required)
  const names = Object.keys(inputSchema?.properties ?? {}).map(n => (required.has(n) ? `\`${n}\`` : `\`${n}\`?`))
  const first = (typeof description === 'string' ? description : '').split(/(?<=[.!?])\s/, 1)[0] ?? ''
  const cells = [names.join(', ') || '–', effect(annotations), first.replaceAll('|', '\\|'), tokensOf(tool)]
  return `| \`${String(name)}\`${isListed ? ' ●' : ''} | ${cells.join(' | ')} |`
}

function effect(hints: Readonly<Record<string, boolean>> = {}): string {
  if (hints.readOnlyHint) return 'reads'
  return hints.destructiveHint === false ? 'writes' : 'may destroy'
}

/** Every flag: its variable, its default, what it is for. */
export function flagTable(): string {
  const rows = flags
    // What only a command line can ask for is in its help.
    .filter(({ name, group }) => !COMMAND_LINE_ONLY.some(only => only === group) && !['stdio', 'http'].includes(name))
    .map(({ name, value, default: initial, about, choices, list }) => {
      const shown = value === undefined ? `--${name}` : `--${name} ${value}`
      const env = `CAUSEWAY_${name.toUpperCase().replaceAll('-', '_')}`
      const allowed = choices ? ` (${choices.join(', ')})` : list ? ' (several)' : ''
      return `| \`${shown}\` | \`${env}\` | ${initial === undefined ? '–' : `\`${initial}\``} | ${about}${allowed} |`
    })
  return ['| flag | environment | default | what it does |', '|---|---|---|---|', ...rows].join('\n')
}
