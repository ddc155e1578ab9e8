import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { startView } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { readDiff } from './runtime/diff.ts'
import { DiffView } from './runtime/diff-view.tsx'
import { Head, Words } from './runtime/parts.tsx'
import { shown, textOf } from './runtime/values.ts'

const MOST = 4_000_000

function DiffReview({ result }: ViewProps): VNode {
  const diff = useMemo(() => readDiff(textOf(result).slice(0, MOST)), [result])
  const sum = (of: 'added' | 'deleted'): string => shown(diff.files.reduce((all, file) => all + file[of], 0))
  if (diff.files.length === 0) return <Words result={result} />
  const count = diff.files.length === 1 ? '1 file' : `${diff.files.length} files`
  return (
    <>
      <Head title="Changes" about={`${count}, +${sum('added')} −${sum('deleted')}; n and p go through the files`} />
      <DiffView diff={diff} />
    </>
  )
}

startView('diff', DiffReview)
