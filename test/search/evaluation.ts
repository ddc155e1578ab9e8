import { readFileSync } from 'node:fs'
import type { Pack } from '@causeway/engine'
import { basics } from '@causeway/packs/basics'
import { cassini } from '@causeway/packs/cassini'
import { threats } from '@causeway/packs/threats'
import { toolkit } from '@causeway/packs/toolkit'
import { createEdits, workstation } from '@causeway/packs/workstation'
import { rank } from '../../packages/engine/src/search/rank.ts'
import type { NamedSegment } from '../../packages/engine/src/search/rank.ts'
import type { Searchable } from '../../packages/engine/src/search/segment.ts'

/** What a user asks for, and the tools that would do it. */
export interface Task {
  readonly query: string
  readonly wanted: readonly string[]
}

const read = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter(line => !line.startsWith('#'))

/** Every pack of ours with everything in it. */
export function ownPacks(): Pack[] {
  const roots = [process.cwd()]
  const edits = createEdits()
  const work = workstation({ roots, allowCommand: ['*'], edits, plainArguments: true })
  return [basics({ version: '1.0.0' }), cassini({}), threats(), toolkit({ roots, edits, languageServers: {} }), work]
}

/** The tools of a pack, as they are searched. */
export const toolsOf = ({ features }: Pack): Searchable[] =>
  features.flatMap(feature =>
    // What is for views alone, no search finds.
    feature.kind === 'tool' && feature.visibility === undefined ? [{ ...feature, inputSchema: feature.input }] : [],
  )

/** The recorded tools of public servers, by server. */
export function publicServers(): Map<string, Searchable[]> {
  const servers = new Map<string, Searchable[]>()
  let tools: Searchable[] = []
  for (const line of read('public-servers.txt')) {
    const [, name, args = '', description] = /^(\w+)\(([^)]*)\): (.+)$/.exec(line) ?? []
    if (name !== undefined && description !== undefined) tools.push({ name, description, inputSchema: schemaOf(args) })
    else if (line.trim() !== '') servers.set(line.trim(), (tools = []))
  }
  return servers
}

const schemaOf = (args: string): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: Object.fromEntries(
    args
      .split(', ')
      .filter(name => name !== '')
      .map(name => [name, {}]),
  ),
})

/** The tasks of one part of the set. */
export function tasks(part: 'tuning' | 'held out', file = 'tasks.txt'): Task[] {
  const lines = read(file)
  const start = lines.indexOf(`[${part}]`) + 1
  const end = lines.findIndex((line, at) => at >= start && line.startsWith('['))
  return lines
    .slice(start, end < 0 ? undefined : end)
    .filter(line => line.includes(' => '))
    .map(line => {
      const [query = '', wanted = ''] = line.split(' => ')
      return { query, wanted: wanted.split(', ') }
    })
}

/** How many of the tasks have a tool that does them among the first `limit`, and those that have not. */
export function recall(
  segments: readonly NamedSegment[],
  set: readonly Task[],
  limit: number,
): { readonly share: number; readonly missed: string[] } {
  const missed = set
    .map(({ query, wanted }) => ({ query, wanted, found: rank(segments, query, limit).map(({ tool }) => tool.name) }))
    .filter(({ wanted, found }) => !found.some(name => wanted.includes(name)))
    .map(({ query, wanted, found }) => `${query}: wanted ${wanted.join(' or ')}, found ${found.join(', ')}`)
  return { share: 1 - missed.length / set.length, missed }
}
