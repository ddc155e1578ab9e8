import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView, taking, useData } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { readDiff } from './runtime/diff.ts'
import type { Diff } from './runtime/diff.ts'
import { DiffView } from './runtime/diff-view.tsx'
import { lanesOf } from './runtime/lanes.ts'
import type { Row } from './runtime/lanes.ts'
import { Head, Notice, Words } from './runtime/parts.tsx'
import { records, text, textOf } from './runtime/values.ts'

interface Commit {
  readonly hash: string
  readonly parents: readonly string[]
  readonly refs: readonly string[]
  readonly author: string
  readonly date: string
  readonly subject: string
}

interface Opened {
  readonly hash: string
  readonly diff?: Diff
  readonly problem?: string
}

const ROW = 28
const LANE = 14
const MOST_LANES = 12
const STEP = 100

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(one => text(one, 200)) : [])

function GitLog(props: ViewProps): VNode {
  const [limit, setLimit] = useState(STEP)
  const [opened, setOpened] = useState<Opened | undefined>(undefined)
  const args = taking(props.input, 'repositoryPath', 'revision', 'files', 'author', 'grep')
  const loaded = useData(props, 'view_git_log', { ...args, limit })
  const commits: readonly Commit[] = records(loaded.data?.commits).map(one => ({
    hash: text(one.hash, 64),
    parents: texts(one.parents),
    refs: texts(one.refs),
    author: text(one.author, 300),
    date: text(one.date, 20),
    subject: text(one.subject, 300),
  }))
  if (commits.length === 0) return loaded.isLoading ? <Notice loaded={loaded} /> : <Words result={props.result} />
  const rows = lanesOf(commits)
  const show = async (hash: string): Promise<void> => {
    if (opened?.hash === hash) return setOpened(undefined)
    setOpened({ hash })
    try {
      const where = taking(props.input, 'repositoryPath')
      const answer = await props.bridge.call('git_show', { ...where, revision: hash })
      const words = textOf(answer)
      setOpened(answer.isError ? { hash, problem: words.slice(0, 500) } : { hash, diff: readDiff(words) })
    } catch (error) {
      setOpened({ hash, problem: String(error) })
    }
  }
  return (
    <>
      <Head title="Git log" about={`${commits.length} commits; Enter shows what one changed`} />
      <Notice loaded={loaded} />
      <Rows commits={commits} rows={rows} opened={opened} show={hash => void show(hash)} />
      {loaded.data?.more === true && limit < 500 && (
        <button type="button" class="more" onClick={() => setLimit(Math.min(500, limit + STEP))}>
          More commits
        </button>
      )}
    </>
  )
}

interface RowsProps {
  readonly commits: readonly Commit[]
  readonly rows: readonly Row[]
  readonly opened: Opened | undefined
  show(hash: string): void
}

function Rows({ commits, rows, opened, show }: RowsProps): VNode {
  const width = Math.min(MOST_LANES, Math.max(...rows.map(row => row.width), 1)) * LANE + 8
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || !(event.target instanceof HTMLElement) || !event.target.matches('.commit')) return
    event.preventDefault()
    const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.commit')]
    all[all.indexOf(event.target) + step]?.focus()
  }
  return (
    <ol class="commits" onKeyDown={onKeyDown}>
      {commits.map((commit, i) => {
        const isOpen = opened?.hash === commit.hash
        return (
          <li key={commit.hash}>
            <button type="button" class="commit" aria-expanded={isOpen} onClick={() => show(commit.hash)}>
              <Lanes row={rows[i]} previous={rows[i - 1]} width={width} isMerge={commit.parents.length > 1} />
              <span class="subject">
                {commit.refs.map(ref => (
                  <span key={ref} class={`ref ${ref.startsWith('tag: ') ? 'tag' : ''}`}>
                    {ref.replace(/^tag: /, '')}
                  </span>
                ))}
                {commit.subject}
              </span>
              <span class="who muted">{commit.author}</span>
              <span class="when muted">{commit.date}</span>
              <code class="muted">{commit.hash}</code>
            </button>
            {isOpen && <Details opened={opened} />}
          </li>
        )
      })}
    </ol>
  )
}

function Details({ opened: { diff, problem } }: { opened: Opened }): VNode {
  if (problem !== undefined) return <p class="notice bad">{problem}</p>
  return diff ? <DiffView diff={diff} /> : <p class="notice">Loading…</p>
}

const x = (lane: number): number => 8 + Math.min(lane, MOST_LANES - 1) * LANE
const colour = (lane: number): string => `var(--lane-${lane % 5})`

interface LanesProps {
  readonly row: Row | undefined
  readonly previous: Row | undefined
  readonly width: number
  readonly isMerge: boolean
}

/** The lines that come from the row above to the middle, and go on to the row below. */
function Lanes({ row, previous, width, isMerge }: LanesProps): VNode {
  const middle = ROW / 2
  const above = new Set(previous?.lines.map(({ to }) => to))
  return (
    <svg class="lanes" width={width} height={ROW} aria-hidden="true">
      {[...above].map(lane => (
        <path key={`a${lane}`} d={`M${x(lane)} 0V${middle}`} stroke={colour(lane)} />
      ))}
      {row?.lines.map(({ from, to }, i) => (
        <path
          key={i}
          d={`M${x(from)} ${middle}C${x(from)} ${ROW - 4} ${x(to)} ${middle + 4} ${x(to)} ${ROW}`}
          stroke={colour(Math.max(from, to))}
        />
      ))}
      <circle
        cx={x(row?.lane ?? 0)}
        cy={middle}
        r={isMerge ? 3.5 : 4.5}
        fill={isMerge ? 'var(--surface)' : colour(row?.lane ?? 0)}
        stroke={colour(row?.lane ?? 0)}
      />
    </svg>
  )
}

startView('git-log', GitLog)
