import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'
import { asRecord } from '../schema/schema.ts'
import { find, lists } from '../state/catalog.ts'
import type { Listed } from '../state/catalog.ts'
import { href, route } from '../state/route.ts'
import { Browse } from './browse.tsx'
import { ToolDetail } from './tool.tsx'

const search = signal('')

/** What a tool does to the world, in a word. */
export function effectOf({ definition }: Listed): { readonly word: string; readonly tone: string } {
  const { readOnlyHint, destructiveHint } = asRecord(definition.annotations)
  if (readOnlyHint === true) return { word: 'reads', tone: '' }
  return destructiveHint === false ? { word: 'writes', tone: 'warn' } : { word: 'destroys', tone: 'bad' }
}

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
      {!item.isOffered && <span class="badge">on request</span>}
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
  const [first] = lists.tool.value?.items ?? []
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
