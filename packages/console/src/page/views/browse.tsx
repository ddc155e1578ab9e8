import { signal, useComputed } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { Empty, Search, plural } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Virtual } from '../parts/virtual.tsx'
import { groupOf, lists, matching } from '../state/catalog.ts'
import { countOf } from '../state/count.ts'
import { hello } from '../state/feed.ts'
import type { Listed } from '../state/catalog.ts'
import { href, route } from '../state/route.ts'
import type { View } from '../state/route.ts'

type Row = { readonly group: string; readonly size: number } | Listed

/** Groups whose members are not shown. */
const folded = signal<ReadonlySet<string>>(new Set())

const ITEM = 56
const HEAD = 40

/** What a list to browse shows. */
export interface BrowseProps {
  readonly view: View
  readonly kinds: readonly Listed['kind'][]
  readonly word: string
  readonly search: Signal<string>
  readonly tags?: (item: Listed) => ComponentChildren
  readonly children: ComponentChildren
  readonly none: ComponentChildren
}

/** A list on the left, what is chosen of it on the right; on narrow screens one after the other. */
export function Browse(props: BrowseProps): VNode {
  const { view, kinds, word, search, tags, children } = props
  const { item } = route.value
  const rows = useComputed(() => rowsOf(kinds, search.value))
  const all = kinds.flatMap(kind => lists[kind].value?.items ?? [])
  const found = search.value === '' ? all.length : rows.value.length
  const total = plural(countOf(all), word)
  return (
    <div class={`split ${item === undefined ? '' : 'open'}`}>
      <section class="panel" aria-label={`All ${word}s`} onKeyDown={moveFocus}>
        <div class="panel-head">
          <div class="row">
            <h1 class="grow">{view}</h1>
            <span class="muted small" role="status">
              {search.value === '' ? total : `${found} of ${total}`}
            </span>
          </div>
          <Search value={search} what={`${word}s`} />
        </div>
        {found > 0 ? (
          <Virtual
            label={view}
            rows={rows.value}
            height={row => ('key' in row ? ITEM : HEAD)}
            keyOf={row => ('key' in row ? row.key : `group ${row.group}`)}
            shown={item}
            draw={row => ('key' in row ? <Item view={view} item={row} tags={tags} /> : <GroupHead {...row} />)}
          />
        ) : (
          <Nothing {...props} />
        )}
      </section>
      <div class="detail">{children}</div>
    </div>
  )
}

function Nothing({ kinds, view, word, search, none }: BrowseProps): VNode {
  const failed = kinds.map(kind => lists[kind].value).find(list => list?.state === 'failed')
  const isLoading = kinds.some(kind => lists[kind].value?.state === 'loading')
  if (failed) {
    return (
      <Empty icon={view} title={`The ${word}s could not be listed`}>
        <p>{failed.problem}</p>
      </Empty>
    )
  }
  if (isLoading) return <Empty icon={view} title="Loading…" />
  if (search.value === '') return <>{none}</>
  return (
    <Empty icon="search" title={`No ${word} matches`}>
      <p>Nothing has “{search.value.slice(0, 60)}” in its name or description.</p>
      <button type="button" class="button" onClick={() => (search.value = '')}>
        Clear the search
      </button>
    </Empty>
  )
}

function fold(group: string): void {
  const next = new Set(folded.value)
  if (!next.delete(group)) next.add(group)
  folded.value = next
}

function GroupHead({ group, size }: { readonly group: string; readonly size: number }): VNode {
  return (
    <button type="button" class="group" aria-expanded={!folded.value.has(group)} onClick={() => fold(group)} data-row>
      <span>{group}</span>
      <span>{size}</span>
    </button>
  )
}

function Item(props: { readonly view: View; readonly item: Listed; readonly tags: BrowseProps['tags'] }): VNode {
  const { view, item, tags } = props
  const isOn = route.value.item === item.key
  return (
    <div class={`item ${isOn ? 'on' : ''}`}>
      <div class="row">
        <a class="clip" href={href(view, item.key)} aria-current={isOn ? 'true' : undefined} data-row>
          {item.kind === 'tool' || item.kind === 'prompt' ? item.key : item.title}
        </a>
        <span class="grow" />
        {tags?.(item)}
      </div>
      <span class="muted small clip">{firstLine(item.description) || item.key}</span>
    </div>
  )
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

/** Grouped where there are groups; a search shows the best first, without them. */
function rowsOf(kinds: readonly Listed['kind'][], search: string): readonly Row[] {
  const items = kinds.flatMap(kind => lists[kind].value?.items ?? [])
  if (search.trim() !== '') return matching(items, search)
  const groups = new Map<string, Listed[]>()
  for (const item of items) {
    const name = groupOf.value(item.kind, item.key)
    const known = groups.get(name)
    if (known) known.push(item)
    else groups.set(name, [item])
  }
  if (groups.size <= 1) return items
  const rows: Row[] = []
  for (const [name, members] of [...groups].toSorted(([a], [b]) => placeOf(a) - placeOf(b))) {
    const group = name === '' ? 'built in' : name
    rows.push({ group, size: members.length })
    if (!folded.value.has(group)) for (const member of members) rows.push(member)
  }
  return rows
}

/** The servers that the operator added come first; what belongs to no group, such as the search for tools, comes last. */
function placeOf(group: string): number {
  if (group === '') return 2
  return hello.value?.groups.some(({ name, kind }) => name === group && kind === 'server') ? 0 : 1
}

/** Arrows go from one to the next, from the search on. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const panel = event.currentTarget as HTMLElement
  const links = [...panel.querySelectorAll<HTMLElement>('[data-row]')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}

/** On narrow screens, the way back to the list. */
export function Back({ view }: { readonly view: View }): VNode {
  return (
    <div class="back">
      <a class="button mini" href={href(view)}>
        <Icon name="back" />
        {view}
      </a>
    </div>
  )
}
