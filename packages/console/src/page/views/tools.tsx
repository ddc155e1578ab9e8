import { computed, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'
import { find, groupOf, lists } from '../state/catalog.ts'
import type { Listed } from '../state/catalog.ts'
import { href, route } from '../state/route.ts'
import { Browse } from './browse.tsx'
import { effectOf } from './effect.ts'
import { ToolDetail } from './tool.tsx'

const search = signal('')
// Where every tool is listed, saying so of each tells nothing.
const hasUnlisted = computed(() => lists.tool.value?.items.some(({ isOffered }) => !isOffered) ?? false)

/** Every tool, and one of them to try. */
export function ToolsView(): VNode {
  const { item } = route.value
  const tool = find('tool', item)
  return (
    <Browse
      view="Tools"
      kinds={['tool']}
      word="tool"
      search={search}
      tags={EffectTag}
      none={
        <Empty icon="Tools" title="No tools are served">
          <p>Choose packs with --pack, add your own with --tools-dir, or other servers with --servers.</p>
        </Empty>
      }
    >
      {tool ? <ToolDetail key={tool.key} tool={tool} /> : <NoTool name={item} />}
    </Browse>
  )
}

function EffectTag(item: Listed): VNode | null {
  const { word, tone } = effectOf(item)
  return (
    <>
      {item.isOffered && hasUnlisted.value && <span class="badge accent">listed</span>}
      {word !== 'reads' && <span class={`badge ${tone}`}>{word}</span>}
    </>
  )
}

function NoTool({ name }: { readonly name: string | undefined }): VNode {
  if (name !== undefined && lists.tool.value?.state !== 'loading') {
    return (
      <Empty icon="Tools" title={`There is no tool named ${name.slice(0, 80)}`}>
        <p>It may have been removed, or its server is not running.</p>
        <a class="button" href={href('Tools')}>
          All tools
        </a>
      </Empty>
    )
  }
  const items = lists.tool.value?.items ?? []
  const first =
    items.find(item => groupOf.value('tool', item.key) !== '' && effectOf(item).word === 'reads') ?? items[0]
  return (
    <Empty icon="Tools" title="Choose a tool to try it">
      <p>
        Each tool has a form for its arguments. Run it here exactly as an assistant would, and see what the assistant
        would get.
      </p>
      {first && (
        <a class="button primary" href={href('Tools', first.key)}>
          Start with {first.key}
        </a>
      )}
    </Empty>
  )
}
