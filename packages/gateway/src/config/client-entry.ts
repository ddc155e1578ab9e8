import { serverContainers } from '@causeway/engine/client-programs'
import { isObject } from '@causeway/engine/internal'

type Json = Readonly<Record<string, unknown>>

/** Servers as a file has them, by name, and the keys that lead there. */
export interface ServerGroup {
  readonly path: readonly string[]
  readonly servers: Json
}

/** The groups of servers in a parsed file of any client program. */
export const serverGroups = (content: unknown): readonly ServerGroup[] =>
  serverContainers.flatMap(path => {
    const servers = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), content)
    if (!isObject(servers)) return []
    if (path[0] !== 'extensions') return [{ path, servers }]
    // Files of other programs have something else there, and Goose has its built-in extensions.
    const external = Object.entries(servers).filter(([, entry]) => isObject(entry) && isGoose(entry))
    return external.length > 0 ? [{ path, servers: Object.fromEntries(external) }] : []
  })

const isGoose = (entry: Json): boolean => 'cmd' in entry || 'uri' in entry

const fromVariable = (name: unknown): string => `\${${String(name)}}`

/** What keys of other programs are in ours. */
const TRANSLATED: Readonly<Record<string, (value: unknown) => Json>> = {
  httpUrl: url => ({ type: 'http', url }),
  serverUrl: url => ({ url }),
  transport: type => ({ type }),
  // Zed may have the program and its arguments one level deeper.
  command: value => (isObject(value) ? { command: value.path, args: value.args, env: value.env } : { command: value }),
  http_headers: headers => ({ headers }),
  env_http_headers: value => ({
    headers: Object.fromEntries(Object.entries(isObject(value) ? value : {}).map(([k, v]) => [k, fromVariable(v)])),
  }),
  bearer_token_env_var: name => ({ headers: { Authorization: `Bearer ${fromVariable(name)}` } }),
  startup_timeout_sec: seconds => ({ startTimeout: `${String(seconds)}s` }),
  tool_timeout_sec: seconds => ({ timeout: `${String(seconds)}s` }),
  includeTools: tools => ({ tools }),
  enabled_tools: tools => ({ tools }),
  excludeTools: exclude => ({ exclude }),
  cmd: command => ({ command }),
  uri: url => ({ url }),
  envs: env => ({ env }),
  disabled_tools: exclude => ({ exclude }),
}

/** An entry as any client program writes it, in our own keys. */
export function neutralEntry(entry: Json): Json {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(isGoose(entry) ? fromGoose(entry) : entry)) {
    const own = (Object.hasOwn(TRANSLATED, key) && TRANSLATED[key]?.(value)) || { [key]: value }
    const headers =
      isObject(own.headers) && isObject(out.headers) ? { headers: { ...out.headers, ...own.headers } } : {}
    Object.assign(out, own, headers)
  }
  return out
}

/** Goose counts in seconds, and has members for itself. */
function fromGoose({ timeout, enabled, type, cmd, args, uri, envs, headers }: Json): Json {
  const all = {
    type,
    cmd,
    args,
    uri,
    envs,
    headers,
    timeout: typeof timeout === 'number' ? `${timeout}s` : undefined,
    enabled,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
