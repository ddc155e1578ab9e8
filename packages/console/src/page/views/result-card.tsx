import { useSignal } from '@preact/signals'
import type { Result } from '@causeway/engine/browser'
import type { VNode } from 'preact'
import { Segments } from '../parts/bits.tsx'
import { Copy } from '../parts/copy.tsx'
import { Content, Data } from '../result/content.tsx'
import { JsonTree } from '../result/json-tree.tsx'
import { ViewOfTool } from '../apps/view-frame.tsx'
import { viewUriOf } from '../apps/view-rights.ts'
import { asRecord } from '../schema/schema.ts'
import type { Listed } from '../state/catalog.ts'
import type { Run } from '../state/runs.ts'
import { useInSight } from './in-sight.ts'
import { Ending } from './run-bar.tsx'

const WAYS = ['Rendered', 'JSON', 'Text'] as const
const WITH_VIEW = ['View', ...WAYS] as const
type Way = (typeof WITH_VIEW)[number]

/** What came of a call, shown as what it is. */
export function ResultCard({ run, tool }: { readonly run: Run | undefined; readonly tool: Listed }): VNode {
  const uri = viewUriOf(tool.definition)
  const ways: readonly Way[] = uri === undefined ? WAYS : WITH_VIEW
  const way = useSignal<Way>(ways[0] ?? 'Rendered')
  const result = run?.result
  return (
    <section
      class="card"
      ref={useInSight(run)}
      aria-label="Result"
      aria-live="polite"
      aria-busy={run?.state === 'running'}
    >
      <header>
        <h2>Result</h2>
        {run && <Ending run={run} />}
        <span class="grow" />
        {result && (
          <>
            <Segments label="Show as" options={ways} value={way.value} choose={option => (way.value = option)} />
            <Copy text={() => copied(result)} />
          </>
        )}
      </header>
      <div class="body stack">
        {run ? (
          <Outcome run={run} tool={tool} uri={uri} way={way.value} />
        ) : (
          <p class="muted">Nothing yet. Fill in the arguments and press Run.</p>
        )}
      </div>
    </section>
  )
}

interface OutcomeProps {
  readonly run: Run
  readonly tool: Listed
  readonly uri: string | undefined
  readonly way: Way
}

function Outcome({ run, tool, uri, way }: OutcomeProps): VNode {
  const { result, problem, state, params, startedAt } = run
  const input = asRecord(params.arguments)
  return (
    <>
      <Logs run={run} />
      {problem && <Problem problem={problem} />}
      {state === 'cancelled' && <p class="muted">Cancelled. The server was asked to stop.</p>}
      {result && uri !== undefined && way === 'View' && (
        <ViewOfTool key={startedAt} tool={tool} uri={uri} input={input} result={result} />
      )}
      {result && way !== 'View' && <Shown result={result} way={way} />}
    </>
  )
}

function Logs({ run: { logs } }: { readonly run: Run }): VNode | null {
  if (logs.length === 0) return null
  return (
    <div class="log" tabIndex={0} role="log" aria-label="Messages">
      {logs.map((line, i) => (
        <div key={i}>{line}</div>
      ))}
    </div>
  )
}

function Problem({ problem }: { readonly problem: NonNullable<Run['problem']> }): VNode {
  return (
    <div class="stack tight">
      <p class="notice bad" role="alert">
        {problem.message}
        {problem.code !== undefined && <span class="small">({problem.code})</span>}
      </p>
      {problem.data !== undefined && <JsonTree value={problem.data} />}
    </div>
  )
}

function Shown({ result, way }: { readonly result: Result; readonly way: Way }): VNode {
  if (way === 'JSON') return <JsonTree value={result} />
  if (way === 'Text')
    return (
      <pre class="output" tabIndex={0}>
        {copied(result)}
      </pre>
    )
  return <Rendered result={result} />
}

/** Structured content where there is some: the text beside it says the same. */
function Rendered({ result }: { readonly result: Result }): VNode {
  const blocks = Array.isArray(result.content) ? (result.content as unknown[]) : []
  const { structuredContent } = result
  const others = structuredContent === undefined ? blocks : blocks.filter(block => !isSame(block, structuredContent))
  return (
    <div class={`stack ${result.isError === true ? 'failed' : ''}`}>
      {structuredContent !== undefined && <Data value={structuredContent} />}
      {others.map((block, i) => (
        <Content key={i} block={block} />
      ))}
      {blocks.length === 0 && structuredContent === undefined && <JsonTree value={result} />}
    </div>
  )
}

function isSame(block: unknown, structured: unknown): boolean {
  const text = (block as { type?: unknown; text?: unknown }).text
  if (typeof text !== 'string') return false
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured)
  } catch {
    return false
  }
}

function copied(result: Result): string {
  const blocks = Array.isArray(result.content) ? (result.content as { text?: unknown }[]) : []
  const texts = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  return texts.length > 0 ? texts.join('\n\n') : JSON.stringify(result, null, 2)
}
