import type { ScriptConfig } from '../config/config.ts'
import { under } from '../tree.ts'

/** The targets of the pattern that fits a name best: the same name, or the longest before its `*`. */
export function matching(patterns: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  if (Object.hasOwn(patterns, name)) return patterns[name] ?? []
  const fitting = Object.keys(patterns)
    .map(pattern => ({ pattern, rest: restOf(pattern, name) }))
    .filter(({ rest }) => rest !== undefined)
    .sort((a, b) => b.pattern.indexOf('*') - a.pattern.indexOf('*'))
  const [best] = fitting
  if (!best) return []
  const { pattern, rest = '' } = best
  return (patterns[pattern] ?? []).map(target =>
    pattern.includes('*') ? target.replaceAll('*', () => rest) : target + rest,
  )
}

/** What a `*` stands for, so that the pattern is the name. */
function restOf(pattern: string, name: string): string | undefined {
  const star = pattern.indexOf('*')
  // What ends with a slash means everything below.
  if (star < 0) return pattern.endsWith('/') && name.startsWith(pattern) ? name.slice(pattern.length) : undefined
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)]
  if (name.length < before.length + after.length || !name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, name.length - after.length)
}

/** Where a tsconfig looks for a name. */
export function placesOf({ paths, baseUrl }: ScriptConfig, name: string): string[] {
  const mapped = matching(paths, name)
  return baseUrl === undefined ? [...mapped] : [...mapped, under(baseUrl, name)]
}
