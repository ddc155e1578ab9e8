import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView, taking, useData } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Bars } from './runtime/bars.tsx'
import { Choice, Head, Notice, Table, Tile, Words } from './runtime/parts.tsx'
import type { Column } from './runtime/parts.tsx'
import { Plot } from './runtime/plot.tsx'
import { isRecord, number, records, shown, text } from './runtime/values.ts'
import type { Fields } from './runtime/values.ts'

const KINDS = ['Lines', 'Commits'] as const
const LISTS = ['Files', 'Authors'] as const
const HEIGHT = 260
const UNITS = new Map([
  [1, 'days'],
  [7, 'weeks'],
  [30, 'months of 30 days'],
  [91, 'quarters'],
  [365, 'years'],
])

function Churn(props: ViewProps): VNode {
  const [kind, setKind] = useState<(typeof KINDS)[number]>('Lines')
  const [list, setList] = useState<(typeof LISTS)[number]>('Files')
  const [at, setAt] = useState<number | undefined>(undefined)
  const args = taking(props.input, 'project_path', 'period_days')
  const loaded = useData(props, 'view_churn', { project_path: '.', ...args })
  const { data } = loaded
  const summary = data && isRecord(data.summary) ? data.summary : undefined
  if (!summary) return loaded.isLoading ? <Notice loaded={loaded} /> : <Words result={props.result} />
  const bars = records(data?.buckets).map(bucket => barOf(bucket, kind))
  return (
    <>
      <Head title="Churn" about={`${shown(number(summary.period_days))} days`}>
        <Choice label="Measure" options={KINDS} value={kind} choose={setKind} />
      </Head>
      <Notice loaded={loaded} />
      <div class="tiles">
        <Tile name="commits" value={shown(number(summary.total_commits))} />
        <Tile name="files changed" value={shown(number(summary.total_files_changed))} />
        <Tile name="lines added" value={`+${shown(number(summary.total_additions))}`} />
        <Tile name="lines deleted" value={`−${shown(number(summary.total_deletions))}`} />
      </div>
      {bars.length > 0 && (
        <Plot
          label={`${kind} over time`}
          height={HEIGHT}
          about={at === undefined ? undefined : bars[at]?.label}
          draw={width => (
            <Bars
              bars={bars}
              width={width}
              height={HEIGHT}
              unit={`${UNITS.get(number(data?.days)) ?? 'time'}; lines deleted point down`}
              onFocus={setAt}
            />
          )}
        />
      )}
      <Choice label="List" options={LISTS} value={list} choose={setList} />
      <p class="gap" />
      {list === 'Files' && <Table label="Files" rows={records(data?.files)} columns={FILES} most={25} />}
      {list === 'Authors' && (
        <Table label="Authors" rows={records(summary.author_contributions)} columns={AUTHORS} most={25} />
      )}
    </>
  )
}

function barOf(bucket: Fields, kind: (typeof KINDS)[number]): Parameters<typeof Bars>[0]['bars'][number] {
  const [commits, added, deleted] = [bucket.commits, bucket.additions, bucket.deletions].map(number) as [
    number,
    number,
    number,
  ]
  const start = text(bucket.start, 20)
  const label = `From ${start}: ${shown(commits)} commits, ${shown(added)} lines added, ${shown(deleted)} deleted`
  if (kind === 'Commits') return { name: start.slice(2), label, up: commits }
  return { name: start.slice(2), label, up: added, down: deleted, tone: 'var(--good)' }
}

const FILES: readonly Column<Fields>[] = [
  { name: 'File', of: row => text(row.path, 400), show: row => <span class="mono">{text(row.path, 400)}</span> },
  { name: 'Score', isNumber: true, of: row => number(row.churn_score) },
  { name: 'Commits', isNumber: true, of: row => number(row.commit_count) },
  { name: 'Authors', isNumber: true, of: row => number(row.unique_authors) },
  { name: 'Added', isNumber: true, of: row => number(row.additions), show: row => `+${shown(number(row.additions))}` },
  {
    name: 'Deleted',
    isNumber: true,
    of: row => number(row.deletions),
    show: row => `−${shown(number(row.deletions))}`,
  },
  { name: 'Last', of: row => text(row.last_modified, 10).slice(0, 10) },
]

const AUTHORS: readonly Column<Fields>[] = [
  { name: 'Author', of: row => text(row.author, 200) },
  { name: 'Commits', isNumber: true, of: row => number(row.commits) },
  { name: 'Files', isNumber: true, of: row => number(row.files) },
]

startView('churn', Churn)
