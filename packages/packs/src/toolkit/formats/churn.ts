import type { Churn, FileChurn } from '../churn/churn.ts'
import { csv, table } from './text.ts'

/** Every file, one line each. */
export const churnCsv = ({ files }: Churn): string =>
  csv([
    ['file_path', 'commits', 'additions', 'deletions', 'churn_score', 'unique_authors', 'last_modified'],
    ...files.map(file => [
      file.path,
      file.commit_count,
      file.additions,
      file.deletions,
      file.churn_score.toFixed(3),
      file.unique_authors,
      file.last_modified.slice(0, 10),
    ]),
  ])

const HEAD = ['File', 'Commits', 'Authors', 'Added', 'Deleted', 'Score', 'Last modified']
const MOST = 10

/** The analysis for people. */
export function churnMarkdown({ summary, files }: Churn): string {
  const { hotspot_files, stable_files, author_contributions, ...figures } = summary
  const sections = [
    '# Code churn analysis',
    '## Summary',
    table([['Metric', 'Value'], ...Object.entries(figures).map(([name, value]) => [name, String(value)])]),
    `## Top ${MOST} Files by Churn Score`,
    files.length === 0 ? 'None.' : table([HEAD, ...files.slice(0, MOST).map(row)]),
    '## Hotspots',
    bullets(hotspot_files),
    '## Stable files',
    bullets(stable_files),
    '## Authors',
    table([['Author', 'Commits', 'Files'], ...author_contributions.map(a => [a.author, a.commits, a.files])]),
  ]
  return `${sections.join('\n\n')}\n`
}

const row = (file: FileChurn): (string | number)[] => [
  file.path,
  file.commit_count,
  file.unique_authors,
  file.additions,
  file.deletions,
  file.churn_score.toFixed(3),
  file.last_modified.slice(0, 10),
]

const bullets = (paths: readonly string[]): string =>
  paths.length === 0 ? 'None.' : paths.map(path => `- ${path}`).join('\n')
