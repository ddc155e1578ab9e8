import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { startView } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Head, Tile } from './runtime/parts.tsx'
import { readReport } from './runtime/report.ts'
import type { Failure, RunReport } from './runtime/report.ts'
import { shown, textOf } from './runtime/values.ts'

const MOST = 1_000_000
const TONES: Readonly<Record<string, string>> = { passed: 'good', failed: 'bad', errors: 'bad', warnings: 'warn' }

function Build({ result }: ViewProps): VNode {
  const report = useMemo(() => readReport(textOf(result).slice(0, MOST)), [result])
  const { head, failures, summary, output } = report
  return (
    <>
      <Head title={result.isError ? '✗ Failed' : '✓ Succeeded'} about={head} />
      <Counts report={report} />
      {failures.length > 0 && <h2>{failures.length === 1 ? 'What failed' : `${failures.length} failures`}</h2>}
      {failures.map((failure, i) => (
        <Failed key={i} failure={failure} />
      ))}
      {summary.length > 0 && <pre class="words">{summary.join('\n')}</pre>}
      {output !== '' && (
        <details class="file gap-above" open={failures.length === 0}>
          <summary class="file-head">
            <span class="name">Output</span>
          </summary>
          <pre class="words">{output}</pre>
        </details>
      )}
    </>
  )
}

/** The counts as figures, and as one bar of what passed and what did not. */
function Counts({ report: { counts } }: { report: RunReport }): VNode | null {
  const entries = Object.entries(counts)
  if (entries.length === 0) return null
  const [passed = 0, failed = 0, skipped = 0] = ['passed', 'failed', 'skipped'].map(name => counts[name] ?? 0)
  const all = passed + failed + skipped
  const share = (count: number): string => `${(100 * count) / Math.max(1, all)}%`
  return (
    <>
      {all > 0 && (
        <svg
          class="share"
          width="100%"
          height="10"
          role="img"
          aria-label={`${passed} passed, ${failed} failed, ${skipped} skipped`}
        >
          <rect x="0" width={share(failed)} height="10" fill="var(--bad)" />
          <rect x={share(failed)} width={share(passed)} height="10" fill="var(--good)" />
          <rect x={share(failed + passed)} width={share(skipped)} height="10" fill="var(--line)" />
        </svg>
      )}
      <div class="tiles">
        {entries.map(([name, count]) => (
          <Tile key={name} name={name} value={shown(count)} tone={count > 0 ? (TONES[name] ?? '') : ''} />
        ))}
      </div>
    </>
  )
}

const Failed = ({ failure: { place, title, detail } }: { failure: Failure }): VNode => (
  <details class="file gap-above" open>
    <summary class="file-head">
      <span class="name">{title}</span>
      {place !== '' && <code class="muted">{place}</code>}
    </summary>
    {detail.length > 0 && <pre class="words">{detail.join('\n')}</pre>}
  </details>
)

startView('build', Build)
