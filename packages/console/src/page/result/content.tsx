import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Chart } from '../charts/chart.tsx'
import { drawingsIn } from '../charts/recognise.ts'
import { asRecord } from '../schema/schema.ts'
import { isObject } from '@causeway/engine/browser'
import type { Schema } from '../schema/schema.ts'
import { href } from '../state/route.ts'
import { JsonTree } from './json-tree.tsx'
import { looksLikeMarkdown } from './markdown.ts'
import { Markdown } from './markdown-view.tsx'
import { DataTable, isTable } from './table.tsx'

const LONGEST = 400_000
const MOST_FACTS = 16
const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/
const SOUNDS = /^audio\/[\w.+-]+$/

/** One block of a result, whatever it is. */
export function Content({ block }: { readonly block: unknown }): VNode {
  const { type, text, data, mimeType, resource, ...rest } = asRecord(block)
  if (type === 'text' && typeof text === 'string') return <Text text={text} />
  if (type === 'image' && typeof data === 'string') return <Media data={data} type={String(mimeType)} />
  if (type === 'audio' && typeof data === 'string') return <Media data={data} type={String(mimeType)} />
  if (type === 'resource_link')
    return <Link uri={String(rest.uri)} name={String(rest.title ?? rest.name ?? rest.uri)} />
  if (type === 'resource') return <ResourceContents contents={asRecord(resource)} />
  return <JsonTree value={block} />
}

/** Text: JSON as data, Markdown as it is meant, everything else as it stands. */
export function Text({ text, isPlain: asItIs = false }: { readonly text: string; readonly isPlain?: boolean }): VNode {
  const data = useMemo(() => parsed(text), [text])
  if (data !== undefined) return <Data value={data} />
  const drawings = drawingsIn(text)
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… (${text.length} characters)` : text
  return (
    <div class="stack">
      {drawings.map((drawing, i) => (
        <Chart key={i} drawing={drawing} />
      ))}
      {!asItIs && looksLikeMarkdown(cut) ? (
        <Markdown text={cut} />
      ) : (
        <pre class="output" tabIndex={0} role="group" aria-label="Text">
          {cut}
        </pre>
      )}
    </div>
  )
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

/** Data: drawn where it can be drawn, a table where it is one, and the rest as a tree. */
export function Data({ value }: { readonly value: unknown }): VNode {
  const drawings = useMemo(() => drawingsIn(value), [value])
  return (
    <div class="stack">
      {drawings.map((drawing, i) => (
        <Chart key={i} drawing={drawing} />
      ))}
      {isTable(value) ? <DataTable rows={value} label="Rows" /> : <Parts value={value} />}
    </div>
  )
}

/** An object whose members are tables shows them as such, and the others before them. */
function Parts({ value }: { readonly value: unknown }): VNode {
  if (!isObject(value)) return <JsonTree value={value} />
  const tables = Object.entries(value).filter((entry): entry is [string, readonly Schema[]] => isTable(entry[1]))
  const rest = Object.fromEntries(Object.entries(value).filter(([, one]) => !isTable(one)))
  return (
    <div class="stack">
      {Object.keys(rest).length > 0 && <Rest value={rest} />}
      {tables.map(([name, rows]) => (
        <div key={name} class="stack tight">
          <h3>{name}</h3>
          <DataTable rows={rows} label={name} />
        </div>
      ))}
    </div>
  )
}

/** Plain values read best as a list of facts, and so do small objects of them; the rest is a tree. */
function Rest({ value }: { readonly value: Schema }): VNode {
  const entries = Object.entries(value)
  const plain = entries.filter(([, one]) => isPlain(one))
  const small = entries.filter((entry): entry is [string, Schema] => isSmall(entry[1]))
  const others = entries.filter(([, one]) => !isPlain(one) && !isSmall(one))
  if (plain.length > MOST_FACTS || small.length > 3) return <JsonTree value={value} />
  return (
    <div class="stack">
      {plain.length > 0 && <Facts entries={plain} />}
      {small.map(([name, one]) => (
        <div key={name} class="stack tight">
          <h3>{name}</h3>
          <Facts entries={Object.entries(one)} />
        </div>
      ))}
      {others.length > 0 && <JsonTree value={Object.fromEntries(others)} />}
    </div>
  )
}

const Facts = ({ entries }: { readonly entries: readonly (readonly [string, unknown])[] }): VNode => (
  <dl class="facts">
    {entries.map(([name, one]) => (
      <div key={name} class="fact">
        <dt>{name}</dt>
        <dd>{typeof one === 'number' ? one.toLocaleString('en', { maximumFractionDigits: 6 }) : String(one)}</dd>
      </div>
    ))}
  </dl>
)

const isSmall = (value: unknown): value is Schema =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.keys(value).length <= MOST_FACTS &&
  Object.values(value).every(isPlain)

const isPlain = (value: unknown): boolean =>
  value === null ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length < 200)

/** A picture or a sound; of other types only that they are there. */
function Media({ data, type }: { readonly data: string; readonly type: string }): VNode {
  const url = useMemo(() => blobUrl(data, type), [data, type])
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])
  if (url !== undefined && IMAGES.test(type)) {
    return (
      <div class="media">
        <img src={url} alt={`Picture (${type}) in the result`} />
      </div>
    )
  }
  if (url !== undefined && SOUNDS.test(type)) {
    return (
      <div class="media">
        <audio controls src={url} aria-label={`Sound (${type}) in the result`} />
      </div>
    )
  }
  return (
    <p class="muted">
      {type}, {Math.floor(data.length * 0.75).toLocaleString('en')} bytes
    </p>
  )
}

function blobUrl(data: string, type: string): string | undefined {
  if (!IMAGES.test(type) && !SOUNDS.test(type)) return undefined
  try {
    const bytes = Uint8Array.from(atob(data), character => character.codePointAt(0) ?? 0)
    return URL.createObjectURL(new Blob([bytes], { type }))
  } catch {
    return undefined
  }
}

function Link({ uri, name }: { readonly uri: string; readonly name: string }): VNode {
  return (
    <p>
      <a href={href('Resources', uri)}>{name}</a> <span class="muted mono">{uri === name ? '' : uri}</span>
    </p>
  )
}

/** What is in a resource. */
export function ResourceContents({ contents }: { readonly contents: Schema }): VNode {
  const { uri, mimeType, text, blob } = contents
  return (
    <div class="stack tight">
      <p class="muted small mono">
        {String(uri)} {typeof mimeType === 'string' ? `· ${mimeType}` : ''}
      </p>
      {typeof text === 'string' ? (
        mimeType === 'text/markdown' ? (
          <Markdown text={text} />
        ) : (
          <Text text={text} isPlain={mimeType !== undefined} />
        )
      ) : typeof blob === 'string' ? (
        <Media data={blob} type={String(mimeType)} />
      ) : (
        <JsonTree value={contents} />
      )}
    </div>
  )
}
