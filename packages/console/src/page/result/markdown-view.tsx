import type { VNode } from 'preact'
import { parseMarkdown } from './markdown.ts'
import type { Block, Inline } from './markdown.ts'

/** Text as its Markdown says, made of elements and never of HTML. */
export function Markdown({ text }: { readonly text: string }): VNode {
  return (
    <div class="markdown">
      {parseMarkdown(text).map((block, i) => (
        <BlockView key={i} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { readonly block: Block }): VNode {
  switch (block.kind) {
    case 'heading': {
      // The page's own headings stand above those of a result.
      const Level = `h${Math.min(6, block.level + 2)}` as 'h3'
      return <Level>{inlines(block.inline)}</Level>
    }
    case 'paragraph':
      return <p>{inlines(block.inline)}</p>
    case 'quote':
      return <blockquote>{inlines(block.inline)}</blockquote>
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      )
    case 'rule':
      return <hr />
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List>
          {block.items.map((item, i) => (
            <li key={i}>{inlines(item)}</li>
          ))}
        </List>
      )
    }
    case 'table':
    default:
      return <PlainTable head={block.head} rows={block.rows} />
  }
}

function PlainTable(props: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }): VNode {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {props.head.map((cell, i) => (
              <th key={i} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const inlines = (list: readonly Inline[]): VNode[] => list.map((one, i) => <InlineView key={i} inline={one} />)

function InlineView({ inline }: { readonly inline: Inline }): VNode {
  switch (inline.kind) {
    case 'code':
      return <code>{inline.text}</code>
    case 'strong':
      return <strong>{inline.text}</strong>
    case 'em':
      return <em>{inline.text}</em>
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noreferrer noopener">
          {inline.text}
        </a>
      )
    case 'text':
    default:
      return <>{inline.text}</>
  }
}
