import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Diff, DiffFile, DiffLine } from './diff.ts'

const MOST_LINES = 400
const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', deleted: '−', hunk: '', note: '' }

/** The files of a diff, each with its changes; `n` and `p` go from one to the next. */
export function DiffView({ diff: { head, files } }: { diff: Diff }): VNode {
  const ref = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set())
  const mark = (at: number): void =>
    setSeen(known => (known.has(at) ? new Set([...known].filter(one => one !== at)) : new Set(known).add(at)))
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.key !== 'n' && event.key !== 'p') || event.ctrlKey || event.metaKey || event.altKey) return
    const heads = [...(ref.current?.querySelectorAll<HTMLElement>('.file-head .name') ?? [])]
    const here = heads.findIndex(one => one.closest('section')?.contains(document.activeElement))
    const next = heads[here + (event.key === 'n' ? 1 : -1)]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <div class="diff" ref={ref} onKeyDown={onKeyDown}>
      {head !== '' && <pre class="words">{head.slice(0, 5000)}</pre>}
      {files.map((file, i) => (
        <FileDiff key={i} file={file} isSeen={seen.has(i)} mark={() => mark(i)} isOpenFirst={files.length <= 12} />
      ))}
    </div>
  )
}

interface FileDiffProps {
  readonly file: DiffFile
  readonly isSeen: boolean
  readonly isOpenFirst: boolean
  mark(): void
}

function FileDiff({ file, isSeen, isOpenFirst, mark }: FileDiffProps): VNode {
  const [isOpen, setOpen] = useState(isOpenFirst)
  const [most, setMost] = useState(MOST_LINES)
  const { path, from, added, deleted, lines } = file
  return (
    <section class="file" aria-label={path}>
      <div class="file-head">
        <button type="button" class="name mono" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? '▾' : '▸'} {from !== undefined && from !== path ? `${from} → ` : ''}
          {path}
        </button>
        <span class="good-text">+{added}</span>
        <span class="bad-text">−{deleted}</span>
        <label>
          <input
            type="checkbox"
            checked={isSeen}
            onChange={() => {
              setOpen(isSeen)
              mark()
            }}
          />{' '}
          viewed
        </label>
      </div>
      {isOpen && (
        <div class="lines mono" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
          <table>
            <tbody>
              {lines.slice(0, most).map((line, i) => (
                <tr key={i} class={line.kind}>
                  <td class="at">{line.before ?? ''}</td>
                  <td class="at">{line.after ?? ''}</td>
                  <td class="sign">{SIGNS[line.kind]}</td>
                  <td class="code">{line.text}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {lines.length > most && (
            <button type="button" class="more" onClick={() => setMost(most * 4)}>
              {lines.length - most} more lines
            </button>
          )}
        </div>
      )}
    </section>
  )
}
