import { isLoopback, redactText } from '@causeway/engine/internal'
import type { Feature, Pack } from '@causeway/engine'
import type { AuditOptions } from '@causeway/engine/policies'
import type { OperatorFeed, PeerLink, ServedGroup, UpstreamRecord } from '@causeway/console'
import type { Config } from '../config/config.ts'
import { ownCommand, sameTools } from './own-command.ts'
import type { ServedGateway } from './serve-gateway.ts'
import { UsageError } from '../config/usage-error.ts'

/** What the console knows of the server. */
export interface Shown {
  readonly schemaOf: NonNullable<AuditOptions['schemaOf']>
  groups(): readonly ServedGroup[]
  gateway(): ServedGateway | undefined
  readonly peers?: PeerLink | undefined
}

/** Is the console served? It shows the calls of all clients, so it is never served if anyone could use it. */
export function servesConsole({ transport, console: mode, host, needsToken }: Config): boolean {
  if (transport !== 'http' || mode === 'off') return false
  const isGuarded = isLoopback(host) || needsToken
  if (mode === 'on' && !isGuarded) {
    throw new UsageError(
      `--console on needs --token-file FILE or --auth-issuer URL on ${host}, since others could look at every call there.`,
    )
  }
  return isGuarded
}

/** What an operator watches, where there is a page to watch it on. */
export async function consoleFeed(config: Config, shown: Shown): Promise<OperatorFeed | undefined> {
  if (!servesConsole(config)) return undefined
  const { OperatorFeed } = await import('@causeway/console')
  const own = ownCommand()
  const same = sameTools(config)
  return new OperatorFeed({
    schemaOf: shown.schemaOf,
    ...(shown.peers && { peers: shown.peers }),
    facts: () => ({
      publicUrl: config.publicUrl,
      command: [...own, 'serve', '--stdio', ...same],
      callTool: [...own, 'call', ...same],
      roots: config.root,
      virtual: shown.gateway()?.views.names ?? [],
    }),
    groups: () => [...shown.groups().filter(hasAny), ...serverGroups(shown.gateway())],
    upstreams: () => upstreamsOf(shown.gateway()),
  })
}

/** What a pack brings, by name. */
export const groupOf = ({ name, features }: Pick<Pack, 'name' | 'features'>): ServedGroup => ({
  name,
  kind: 'pack',
  tools: features.flatMap(f => (f.kind === 'tool' ? [f.name] : [])),
  prompts: features.flatMap(f => (f.kind === 'prompt' ? [f.name] : [])),
  resources: features.flatMap(uriOf),
})

const uriOf = (feature: Feature): string[] =>
  feature.kind === 'resource' ? [feature.uri] : feature.kind === 'template' ? [feature.uriTemplate] : []

const hasAny = ({ tools, prompts, resources }: ServedGroup): boolean =>
  tools.length + prompts.length + resources.length > 0

const serverGroups = (served: ServedGateway | undefined): ServedGroup[] =>
  [...(served?.gateway.servers ?? [])].map(([name, source]) => ({
    name,
    kind: 'server',
    tools: source.tools.entries.map(({ key }) => key),
    prompts: source.prompts.entries.map(({ key }) => key),
    resources: [...source.resources.entries, ...source.templates.entries].map(({ key }) => key),
  }))

const upstreamsOf = (served: ServedGateway | undefined): UpstreamRecord[] =>
  (served?.gateway.status ?? []).map(status => {
    const name = String(status.name)
    const lines = served?.gateway.servers.get(name)?.log.lines ?? []
    return Object.assign({}, status, { name, log: lines.map(line => redactText(line)) })
  })
