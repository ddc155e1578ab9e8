import { flags } from '../../packages/cli/src/flags.ts'
import { assemble } from '../../packages/cli/src/assemble.ts'
import { readArgs } from '../../packages/cli/src/args.ts'
import { readConfig } from '../../packages/cli/src/config.ts'

interface Listed {
  readonly name?: unknown
  readonly description?: unknown
  readonly inputSchema?: { readonly properties?: object; readonly required?: readonly string[] }
  readonly annotations?: Readonly<Record<string, boolean>>
}

/** Every tool of the default preset: arguments, effect, and the first sentence of its description. */
export async function toolTable(): Promise<string> {
  const server = await assemble(readConfig(readArgs(['--log-level', 'silent']), {}))
  const rows = ((await server.listed('tool')) as readonly Listed[]).map(toolRow)
  return ['| tool | arguments | effect | what it does |', '|---|---|---|---|', ...rows].join('\n')
}

function toolRow({ name, description, inputSchema, annotations }: Listed): string {
  const required = new Set(inputSchema?.required)
  const names = Object.keys(inputSchema?.properties ?? {}).map(n => (required.has(n) ? `\`${n}\`` : `\`${n}\`?`))
  const first = (typeof description === 'string' ? description : '').split(/(?<=[.!?])\s/, 1)[0] ?? ''
  return `| \`${String(name)}\` | ${names.join(', ') || '–'} | ${effect(annotations)} | ${first.replaceAll('|', '\\|')} |`
}

function effect(hints: Readonly<Record<string, boolean>> = {}): string {
  if (hints.readOnlyHint) return 'reads'
  return hints.destructiveHint === false ? 'writes' : 'may destroy'
}

/** Every flag: its variable, its default, what it is for. */
export function flagTable(): string {
  const rows = flags
    .filter(({ name }) => !['help', 'version', 'json', 'tokens', 'lenient', 'stdio', 'http'].includes(name))
    .map(({ name, value, default: initial, about, choices, list }) => {
      const shown = value === undefined ? `--${name}` : `--${name} ${value}`
      const env = `CAUSEWAY_${name.toUpperCase().replaceAll('-', '_')}`
      const allowed = choices ? ` (${choices.join(', ')})` : list ? ' (several)' : ''
      return `| \`${shown}\` | \`${env}\` | ${initial === undefined ? '–' : `\`${initial}\``} | ${about}${allowed} |`
    })
  return ['| flag | environment | default | what it does |', '|---|---|---|---|', ...rows].join('\n')
}
