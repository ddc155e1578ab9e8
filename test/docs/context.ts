import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { HELPER_TOOLS, createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Server } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import type { NamedSegment } from '../../packages/engine/src/search/rank.ts'
import { Segment } from '../../packages/engine/src/search/segment.ts'
import { ownPacks, publicServers, recall, tasks, toolsOf } from '../search/evaluation.ts'
import type { Task } from '../search/evaluation.ts'
import { listing } from './tables.ts'
import type { Listed } from './tables.ts'

const thousands = (count: number): string => count.toLocaleString('en-US')
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** What lists cost in each mode, as a tokenizer counts them. */
export async function tokenTable(): Promise<string> {
  const own: readonly (readonly [string, readonly string[]])[] = [
    ['`--preset all`: every tool, whole definitions', ['--preset', 'all']],
    ['`--toolset all --search off`: every tool, no output schemas', ['--toolset', 'all', '--search', 'off']],
    ['the default', []],
    ['the default, `--read-only`', ['--read-only']],
    ['`--search on`: what is pinned, and search', ['--search', 'on']],
  ]
  const rows = await Promise.all(own.map(async ([title, flags]) => row(title, await listing(...flags))))
  const beside = await besidePublic('off')
  const searched = await besidePublic('auto')
  const servers = publicServers().size
  return [
    '| what is listed | tools | tokens |',
    '|---|--:|--:|',
    ...rows,
    row(`all of it beside ${servers} public servers, \`--search off\``, beside),
    row('the same, `--search auto`', searched),
  ].join('\n')
}

/** Helpers are not counted as tools, but cost tokens. */
const counted = (tools: readonly Listed[]): number => tools.filter(({ name }) => !HELPER_TOOLS.has(String(name))).length

const row = (title: string, tools: readonly Listed[]): string =>
  `| ${title} | ${counted(tools)} | ${thousands(countTokens(JSON.stringify(tools)))} |`

/** Our packs and the recorded definitions of public servers in one server. */
function everything(search: 'auto' | 'off'): Server {
  const pinned = ['read_file', 'search_files', 'edit_file']
  const server = createServer({ name: 'all', version: '1', log: false, listing: { search, pinned } })
  for (const pack of ownPacks()) server.mount(pack)
  for (const [name, tools] of publicServers()) {
    const entries = tools.map(info => ({ key: `${name}__${info.name}`, info, run: () => ({ content: [] }) }))
    server.mount({ name, tools: { shared: true, list: () => entries, find: () => undefined } })
  }
  return server
}

const besidePublic = async (search: 'auto' | 'off'): Promise<readonly Listed[]> =>
  (await connect(everything(search)).request('tools/list')).tools as readonly Listed[]

const segments = (): NamedSegment[] => [
  ...[...publicServers()].map(([source, tools]) => ({ source, segment: new Segment(tools) })),
  ...ownPacks().map(pack => ({ source: pack.name, segment: new Segment(toolsOf(pack)) })),
]

/** How often a tool that does the task is among the first that `find_tools` gives, and what its answer costs. */
export async function evaluationTable(): Promise<string> {
  const index = segments()
  const client = connect(everything('auto'))
  const sets: readonly (readonly [string, readonly Task[]])[] = [
    ['tuning', tasks('tuning')],
    ['held out', tasks('held out')],
    ['all', [...tasks('tuning'), ...tasks('held out')]],
  ]
  const rows = await Promise.all(
    sets.map(async ([name, set]) => {
      const shares = [1, 3, 5, 8].map(limit => percent(recall(index, set, limit).share))
      return `| ${name} | ${set.length} | ${shares.join(' | ')} | ${await answerTokens(client, set)} |`
    }),
  )
  return [
    '| tasks | | first | of 3 | of 5 | of 8 | tokens of an answer |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n')
}

async function answerTokens(client: Client, set: readonly Task[]): Promise<number> {
  const answers = await Promise.all(set.map(({ query }) => client.call('find_tools', { query })))
  return Math.round(answers.reduce<number>((sum, text) => sum + countTokens(String(text)), 0) / set.length)
}
