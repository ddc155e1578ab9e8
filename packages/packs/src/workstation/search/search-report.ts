import type { Asked, Match, Report } from './run-search.ts'

/** What was found, as a person or a model reads it: lines grouped by file, and how to read on. */
export function searchReport(report: Report, asked: Asked): string {
  const { matches, total } = report
  const body = asked.wanted && asked.mode === 'lines' ? byFile(matches) : matches.map(listed)
  return [...body, ...(body.length > 0 ? [''] : []), summary(report, asked), ...rest(report)]
    .join('\n')
    .concat(matches.length < total - asked.offset ? `\nGo on with offset ${asked.offset + matches.length}.` : '')
}

const listed = ({ path, count }: Match): string => (count === undefined ? path : `${path}: ${count}`)

function byFile(matches: readonly Match[]): string[] {
  const out: string[] = []
  let path: string | undefined
  // The last line shown of the file: surroundings that overlap are shown once.
  let last = 0
  for (const match of matches) {
    const line = match.line ?? 0
    const { before = [], after = [], text = '' } = match
    if (match.path !== path) {
      if (path !== undefined) out.push('')
      out.push(match.path)
      last = 0
    } else if (before.length + after.length > 0 && line - before.length > last + 1) out.push('--')
    path = match.path
    before.forEach((words, i) => {
      const number = line - before.length + i
      if (number > last) out.push(`${number}- ${words}`)
    })
    const end = match.endLine ?? line
    const found = text
      .split('\n')
      .map((words, i) => (words.startsWith('… ') && i > 0 ? words : `${line + i}: ${words}`))
    if (line <= last) out.splice(out.length - 1 - (last - line), 1 + last - line, ...found)
    else out.push(...found)
    after.forEach((words, i) => {
      if (end + 1 + i > last) out.push(`${end + 1 + i}- ${words}`)
    })
    last = Math.max(last, end + after.length)
  }
  return out
}

const NOUNS = { file: ['file', 'files'], directory: ['directory', 'directories'], any: ['name', 'names'] } as const

function summary({ matches, total, files }: Report, { offset, wanted, mode, type }: Asked): string {
  const [one, more] = wanted && mode === 'lines' ? (['line', 'lines'] as const) : NOUNS[type]
  const many = total === 1 ? one : more
  const where = files === undefined || total === 0 ? '' : ` in ${files} file${files === 1 ? '' : 's'}`
  if (total === 0) return 'Nothing was found.'
  if (matches.length === total) return `${total} ${many}${where}.`
  return `${offset + 1} to ${offset + matches.length} of ${total} ${many}${where}.`
}

function rest({ skipped }: Report): string[] {
  if (!skipped) return []
  const { binary, tooLarge, unreadable, paths } = skipped
  const counts = [
    ...(binary > 0 ? [`${binary} binary`] : []),
    ...(tooLarge > 0 ? [`${tooLarge} too large`] : []),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ]
  // Pictures and the like are no surprise, so their names stay out of the text.
  const named = tooLarge + unreadable > 0 ? `: ${paths.filter(path => !path.endsWith('(binary)')).join(', ')}` : ''
  return [`Not searched: ${counts.join(', ')}${named}.`]
}
