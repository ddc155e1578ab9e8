import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'

const OPEN_DEPTH = 2
const MOST_SHOWN = 200
const LONGEST = 4000

/** A value as a tree, the inner parts of which are made when they are opened. */
export function JsonTree({ value }: { readonly value: unknown }): VNode {
  return (
    <div class="tree">
      <Node value={value} depth={0} />
    </div>
  )
}

function Node(props: { readonly name?: string; readonly value: unknown; readonly depth: number }): VNode {
  const { name, value, depth } = props
  const key = name === undefined ? null : <span class="key">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div>
        {key}
        <Leaf value={value} />
      </div>
    )
  }
  return <Branch {...props} value={value} depth={depth} />
}

function Branch(props: { readonly name?: string; readonly value: object; readonly depth: number }): VNode {
  const { name, value, depth } = props
  const entries = Object.entries(value)
  const isOpen = useSignal(depth < OPEN_DEPTH && entries.length <= 50)
  const isAll = useSignal(false)
  const shown = isAll.value ? entries : entries.slice(0, MOST_SHOWN)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return (
    <details open={isOpen.value} onToggle={event => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <span class="key">{name === undefined ? '' : `${name}: `}</span>
        <span class="muted">{size}</span>
      </summary>
      {isOpen.value && (
        <div>
          {shown.map(([inner, one]) => (
            <Node key={inner} name={inner} value={one} depth={depth + 1} />
          ))}
          {shown.length < entries.length && (
            <button type="button" class="button mini" onClick={() => (isAll.value = true)}>
              Show {entries.length - shown.length} more
            </button>
          )}
        </div>
      )}
    </details>
  )
}

function Leaf({ value }: { readonly value: unknown }): VNode {
  if (typeof value === 'string') {
    const cut = value.length > LONGEST ? `${value.slice(0, LONGEST)}… (${value.length} characters)` : value
    return <span class="string">{JSON.stringify(cut)}</span>
  }
  return <span class={typeof value === 'number' ? 'number' : 'word'}>{String(value)}</span>
}
