import { isObject } from '../../jsonrpc/message.ts'
import { all, at, contents, each, listed, omit } from '../downgrade.ts'
import { before } from '../revision.ts'
import type { Rewrite, Chained } from '../revision.ts'
import { v2025_06_18 as next } from './2025-06-18.ts'

const untitled = all(omit('title', 'outputSchema'), withoutMeta)
const content = contents(plainContent)

/** No titles, structured output, resource links or elicitation; batches instead. */
export const v2025_03_26: Chained = before(next, {
  version: '2025-03-26',
  without: ['elicitation'],
  traits: { batch: true },
  write: {
    results: {
      ...listed(all(untitled, at('annotations', omit('lastModified')))),
      ...content,
      'prompts/list': each('prompts', all(untitled, each('arguments', omit('title')))),
      'tools/list': each('tools', untitled),
      'tools/call': all(omit('structuredContent'), content['tools/call'] ?? omit()),
      'resources/read': each('contents', withoutMeta),
      initialize: at('serverInfo', omit('title')),
    },
    requests: { initialize: at('clientInfo', omit('title')), 'completion/complete': omit('context') },
  },
})

/** Views came later than this revision, and are shown to its clients all the same. */
function withoutMeta({ _meta, ...rest }: Parameters<Rewrite>[0]): Record<string, unknown> {
  return isObject(_meta) && isObject(_meta.ui) ? { ...rest, _meta: { ui: _meta.ui } } : rest
}

function plainContent(block: Parameters<Rewrite>[0]): Record<string, unknown> {
  if (block.type === 'resource_link') return linkAsText(block)
  const { _meta, ...plain } = block
  const undated = at('annotations', omit('lastModified'))(plain)
  return isObject(undated.resource) ? { ...undated, resource: omit('_meta')(undated.resource) } : undated
}

function linkAsText({ uri, name, title, description }: Record<string, unknown>): Record<string, unknown> {
  const label = typeof title === 'string' ? title : name
  const about = typeof description === 'string' ? `: ${description}` : ''
  return { type: 'text', text: `Resource ${String(label)} <${String(uri)}>${about}` }
}
