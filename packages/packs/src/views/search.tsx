import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { startView } from './runtime/app.tsx'
import type { ViewProps } from './runtime/app.tsx'
import { Head, Words } from './runtime/parts.tsx'
import { dataOf, number, records, shown, text, textOf } from './runtime/values.ts'
import type { Fields } from './runtime/values.ts'

interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly count: number
}

const lines = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(one => text(one)) : [])

const matchesIn = (data: Fields | undefined): readonly Match[] =>
  records(data?.matches).map(one => ({
    path: text(one.path, 1000),
    line: number(one.line),
    text: text(one.text),
    before: lines(one.before),
    after: lines(one.after),
    count: number(one.count),
  }))

function byFile(all: readonly Match[], wanted: string): ReadonlyMap<string, readonly Match[]> {
  const files = new Map<string, Match[]>()
  for (const one of all) {
    if (!one.path.toLowerCase().includes(wanted) && !one.text.toLowerCase().includes(wanted)) continue
    files.set(one.path, [...(files.get(one.path) ?? []), one])
  }
  return files
}

const Filter = ({ value, change }: { value: string; change: (value: string) => void }): VNode => (
  <input
    type="search"
    class="filter"
    aria-label="Filter the results"
    placeholder="Filter"
    value={value}
    onInput={event => change(event.currentTarget.value)}
  />
)

function Search({ bridge, input, result }: ViewProps): VNode {
  const [pages, setPages] = useState<readonly Fields[]>(() => [dataOf(result) ?? {}])
  const [filter, setFilter] = useState('')
  const [problem, setProblem] = useState('')
  const all = pages.flatMap(matchesIn)
  if (all.length === 0) return <Words result={result} />
  const files = byFile(all, filter.toLowerCase())
  const next = pages.at(-1)?.next
  const more = async (): Promise<void> => {
    try {
      const answer = await bridge.call('search_files', { ...input, offset: next })
      const page = answer.isError ? undefined : dataOf(answer)
      if (page) setPages([...pages, page])
      else setProblem(textOf(answer).slice(0, 500) || 'The rest could not be read.')
    } catch (error) {
      setProblem(String(error))
    }
  }
  const total = number(pages[0]?.total)
  const count = total > all.length ? `${all.length} of ${shown(total)} results` : `${all.length} results`
  const searched = typeof input.content === 'string' && input.regex !== true ? input.content : ''
  return (
    <>
      <Head title="Search" about={`${count} in ${files.size} files`}>
        <Filter value={filter} change={setFilter} />
      </Head>
      {[...files].map(([path, matches]) => (
        <FileMatches
          key={path}
          path={path}
          matches={matches}
          searched={searched}
          ignoreCase={input.caseSensitive === false}
        />
      ))}
      {problem !== '' && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {typeof next === 'number' && bridge.can('serverTools') && (
        <button type="button" class="more" onClick={() => void more()}>
          More results
        </button>
      )}
    </>
  )
}

interface FileMatchesProps {
  readonly path: string
  readonly matches: readonly Match[]
  readonly searched: string
  readonly ignoreCase: boolean
}

function FileMatches({ path, matches, searched, ignoreCase }: FileMatchesProps): VNode {
  const withLines = matches.filter(({ line }) => line > 0)
  const count = matches.reduce((sum, one) => sum + one.count, 0)
  return (
    <details class="file" open>
      <summary class="file-head mono">
        <span class="name">{path}</span>
        <span class="muted">{count > 0 ? `${count} lines` : withLines.length > 0 ? withLines.length : ''}</span>
      </summary>
      {withLines.length > 0 && (
        <div class="lines mono">
          <table>
            <tbody>{withLines.map(match => rows(match, searched, ignoreCase))}</tbody>
          </table>
        </div>
      )}
    </details>
  )
}

function rows(match: Match, searched: string, ignoreCase: boolean): VNode {
  const around = (words: string, at: number): VNode => (
    <tr key={at} class="around">
      <td class="at">{at}</td>
      <td class="code">{words}</td>
    </tr>
  )
  return (
    <>
      {match.before.map((words, i) => around(words, match.line - match.before.length + i))}
      <tr>
        <td class="at">{match.line}</td>
        <td class="code">{marked(match.text, searched, ignoreCase)}</td>
      </tr>
      {match.after.map((words, i) => around(words, match.line + 1 + i))}
    </>
  )
}

/** The line with what was searched for marked in it, as often as it is there. */
function marked(line: string, searched: string, ignoreCase: boolean): (string | VNode)[] {
  if (searched === '') return [line]
  const [where, what] = ignoreCase ? [line.toLowerCase(), searched.toLowerCase()] : [line, searched]
  const parts: (string | VNode)[] = []
  let at = 0
  for (let found = where.indexOf(what); found >= 0 && parts.length < 200; found = where.indexOf(what, at)) {
    parts.push(line.slice(at, found), <mark key={found}>{line.slice(found, found + what.length)}</mark>)
    at = found + what.length
  }
  return [...parts, line.slice(at)]
}

startView('search', Search)
