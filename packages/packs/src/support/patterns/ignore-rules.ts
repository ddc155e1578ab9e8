import { shapeOf } from './glob.ts'

/** What a `.gitignore` says of a path below it: true is out, false is in after all, undefined is nothing. */
export type Rules = (path: string, isDirectory: boolean) => boolean | undefined

interface Rule {
  readonly isException: boolean
  readonly onlyDirectories: boolean
}

/** The last rule, counted from 1, that a file or a directory with some name, path or ending falls under. */
interface Last {
  file: number
  directory: number
}

interface Tried extends Rule {
  readonly number: number
  test(path: string): boolean
}

/** Read the rules of a `.gitignore`; the last one that matches decides. Plain names, paths and endings are looked up. */
export function ignoreRules(text: string): Rules {
  const lines = text.split('\n').flatMap(toRule)
  const tables = { name: new Map<string, Last>(), path: new Map<string, Last>(), ending: new Map<string, Last>() }
  const tried: Tried[] = []
  lines.forEach(({ pattern, ...rule }, i) => {
    const shape = shapeOf(pattern)
    if (shape.kind === 'general') tried.push({ ...rule, number: i + 1, test: path => shape.test(path) })
    else if (shape.kind === 'ending' && shape.text.lastIndexOf('.') !== 0)
      tried.push({ ...rule, number: i + 1, test: path => path.endsWith(shape.text) })
    else note(tables[shape.kind], shape.text, i + 1, rule.onlyDirectories)
  })
  tried.reverse()
  return (path, isDirectory) => {
    const known = lookedUp(tables, path, isDirectory ? 'directory' : 'file')
    const rule = tried.find(
      ({ number, onlyDirectories, test }) => number < known || ((isDirectory || !onlyDirectories) && test(path)),
    )
    const last = Math.max(known, rule?.number ?? 0)
    return last === 0 ? undefined : !lines[last - 1]?.isException
  }
}

type Tables = Readonly<Record<'name' | 'path' | 'ending', ReadonlyMap<string, Last>>>

function lookedUp({ name: names, path: paths, ending: endings }: Tables, path: string, kind: keyof Last): number {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const ending = name.slice(Math.max(0, name.lastIndexOf('.')))
  return Math.max(names.get(name)?.[kind] ?? 0, paths.get(path)?.[kind] ?? 0, endings.get(ending)?.[kind] ?? 0)
}

function note(table: Map<string, Last>, key: string, number: number, onlyDirectories: boolean): void {
  const before = table.get(key)
  table.set(key, { directory: number, file: onlyDirectories ? (before?.file ?? 0) : number })
}

function toRule(line: string): (Rule & { readonly pattern: string })[] {
  const trimmed = withoutEnd(line)
  if (trimmed === '' || trimmed.startsWith('#')) return []
  const isException = trimmed.startsWith('!')
  const pattern = isException ? trimmed.slice(1) : trimmed
  const onlyDirectories = pattern.endsWith('/')
  const bare = onlyDirectories ? pattern.slice(0, -1) : pattern
  return bare === '' ? [] : [{ isException, onlyDirectories, pattern: bare }]
}

/** Spaces at the end do not count, but for one behind a backslash. Not an expression: those try every run of spaces. */
function withoutEnd(line: string): string {
  let end = line.endsWith('\r') ? line.length - 1 : line.length
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end--
  return line.slice(0, end)
}
