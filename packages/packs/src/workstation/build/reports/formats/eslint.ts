import type { Finding, Parser } from '../finding.ts'

const FILE = /^(?:[A-Za-z]:)?[^\s:][^:]*\.\w+$/
const ERROR = /^\s+(\d+):(\d+)\s+error\s+(\S.*)$/

/** Errors of ESLint's default formatter: a file, then its lines. */
export const eslint: Parser = lines => {
  const found: Finding[] = []
  let file = ''
  for (const line of lines) {
    if (FILE.test(line)) file = line
    const match = file === '' ? undefined : ERROR.exec(line)
    if (match)
      found.push({ place: `${file}:${match[1]}:${match[2]}`, title: (match[3] ?? '').replaceAll(/\s{2,}/g, '  ') })
  }
  return found
}
