import { walk } from '../../support/files/walk.ts'

/** What to show, in data that crosses threads. */
export interface TreeInput {
  readonly root: string
  readonly start: string
  readonly depth: number
  readonly includeIgnored: boolean
  readonly most: number
}

/** The names below a directory, indented, and whether there are more. */
export function tree({ root, start, depth, includeIgnored, most }: TreeInput): { lines: string[]; more: boolean } {
  const lines: string[] = []
  let more = false
  walk([{ path: start }], {
    root,
    depth,
    ignored: includeIgnored ? 'all' : 'skip',
    visit: ({ name, kind, level }) => {
      more = lines.length >= most
      if (more) return 'end'
      lines.push(`${'  '.repeat(level)}${name}${kind === 'directory' ? '/' : kind === 'link' ? '@' : ''}`)
      return 'on'
    },
  })
  return { lines, more }
}
