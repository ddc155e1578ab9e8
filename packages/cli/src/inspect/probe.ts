import { estimateTokens, versions } from '@causeway/engine'
import { RemoteServer, SseTransport, httpTransport } from '@causeway/engine/client'
import type { HttpTransportOptions, Target } from '@causeway/engine/client'
import { eraName, isObject } from '@causeway/engine/internal'
import { connectTo, unusable } from '../remote/connect.ts'
import type { RemoteTarget } from '../remote/target.ts'
import { VERSION } from '../version.ts'
import { lint } from './lint.ts'
import type { Listed } from './lint.ts'
import type { LintFinding } from '@causeway/engine/internal'

/** All that was found out about a server. */
export interface Inspection {
  readonly target: string
  readonly server: { readonly name: string; readonly version: string }
  /** The revisions it speaks, with the name of the era. */
  readonly revisions: readonly { readonly version: string; readonly era: string }[]
  readonly transports: readonly string[]
  readonly capabilities: readonly string[]
  readonly extensions: readonly string[]
  readonly counts: Readonly<Record<'tools' | 'prompts' | 'resources' | 'templates', number>>
  readonly tools: readonly { readonly name: string; readonly tokens: number }[]
  readonly tokens: { readonly tools: number; readonly instructions: number }
  readonly latency: { readonly connectMs: number; readonly medianMs: number; readonly worstMs: number }
  readonly findings: readonly LintFinding[]
}

const TRIAL_MS = 10_000
// All trials together: what is not known by then is left out.
const ALL_TRIALS_MS = 60_000
const SAMPLES = 5

/** Connect to a server, list what it has, and try which revisions and transports it speaks. */
export async function probe(remote: RemoteTarget): Promise<Inspection> {
  const began = performance.now()
  const client = await connectTo(remote, {})
  const connectMs = performance.now() - began
  try {
    const listed = await listAll(client)
    const times = await sample(client)
    const { extensions, ...capabilities } = client.capabilities
    const tools = listed.tools.map(tool => ({ name: String(tool.name), tokens: estimateTokens(JSON.stringify(tool)) }))
    return {
      target: remote.shown,
      server: { name: client.server?.name ?? 'unnamed', version: client.server?.version ?? '' },
      revisions: await revisionsOf(remote.target, client.version, began),
      transports: await transportsOf(remote),
      capabilities: Object.keys(capabilities),
      extensions: isObject(extensions) ? Object.keys(extensions) : [],
      counts: countsOf(listed),
      tools,
      tokens: {
        tools: tools.reduce((sum, { tokens }) => sum + tokens, 0),
        instructions: estimateTokens(listed.instructions ?? ''),
      },
      latency: { connectMs, medianMs: times[times.length >> 1] ?? 0, worstMs: times.at(-1) ?? 0 },
      findings: lint(listed),
    }
  } catch (error) {
    throw unusable(remote, error)
  } finally {
    await client.close()
  }
}

const countsOf = ({ tools, prompts, resources, templates }: Listed): Inspection['counts'] => ({
  tools: tools.length,
  prompts: prompts.length,
  resources: resources.length,
  templates: templates.length,
})

async function listAll(client: RemoteServer): Promise<Listed> {
  const has = (name: string): boolean => client.capabilities[name] !== undefined
  // A server may have pages without end.
  const options = { timeoutMs: TRIAL_MS, signal: AbortSignal.timeout(ALL_TRIALS_MS) }
  return {
    tools: has('tools') ? await client.list('tools/list', options) : [],
    prompts: has('prompts') ? await client.list('prompts/list', options) : [],
    resources: has('resources') ? await client.list('resources/list', options) : [],
    // Many servers with resources have no templates, and do not know the method.
    templates: has('resources') ? await client.list('resources/templates/list', options).catch(() => []) : [],
    instructions: client.instructions,
  }
}

/** How long a small request takes, shortest first. */
async function sample(client: RemoteServer): Promise<readonly number[]> {
  const method = client.capabilities.tools === undefined ? 'prompts/list' : 'tools/list'
  const times: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const began = performance.now()
    await client.request(method, {}, { timeoutMs: TRIAL_MS }).catch(() => undefined)
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)
}

/** Every revision is tried: a server may speak more of them than it says. */
async function revisionsOf(target: Target, known: string, began: number): Promise<Inspection['revisions']> {
  const spoken: string[] = []
  for (const version of versions) {
    const isLate = performance.now() - began > ALL_TRIALS_MS
    if (version === known || (!isLate && (await answers(target, version)))) spoken.push(version)
  }
  return spoken.map(version => ({ version, era: eraName(version) }))
}

async function answers({ open }: Target, version?: string): Promise<boolean> {
  try {
    const client = { name: 'causeway-cli', version: VERSION }
    const options = { client, startTimeoutMs: TRIAL_MS, ...(version !== undefined && { version }) }
    await (await RemoteServer.connect({ open }, options)).close()
    return true
  } catch {
    return false
  }
}

async function transportsOf({ url, http }: RemoteTarget): Promise<readonly string[]> {
  if (!url) return ['stdio']
  if (!http) return ['WebSocket']
  const kinds: [string, (options: HttpTransportOptions) => ReturnType<Target['open']>][] = [
    ['Streamable HTTP', httpTransport],
    ['HTTP+SSE', options => new SseTransport(options)],
  ]
  const tried = await Promise.all(
    kinds.map(async ([name, open]) => ((await answers({ open: () => open(http) })) ? [name] : [])),
  )
  return tried.flat()
}
