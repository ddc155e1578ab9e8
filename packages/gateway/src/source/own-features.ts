import type { Server } from '@causeway/engine'
import type { Upstream } from '../upstream/upstream.ts'

const SHELVES = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'templates' } as const

type Kind = keyof typeof SHELVES
type Listed = Awaited<ReturnType<Server['listed']>>

/** What a server lists, without what the servers behind it have. */
export async function ownFeatures(server: Server, upstreams: readonly Upstream[]): Promise<Record<Kind, Listed>> {
  const own = async (kind: Kind): Promise<Listed> => {
    const isOwn = (key: string): boolean => !upstreams.some(upstream => upstream[SHELVES[kind]].has(key))
    const listed = await server.listed(kind)
    return listed.filter(({ uri, uriTemplate, name }) => isOwn(String(uri ?? uriTemplate ?? name)))
  }
  const [tool, prompt, resource, template] = await Promise.all([
    own('tool'),
    own('prompt'),
    own('resource'),
    own('template'),
  ])
  return { tool, prompt, resource, template }
}
