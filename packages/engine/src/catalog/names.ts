/** Which letters a tool's name may have. */
export type Naming = 'standard' | 'strict'

const NAMES: Readonly<Record<Naming, RegExp>> = {
  standard: /^[A-Za-z0-9_.-]{1,128}$/,
  strict: /^[A-Za-z0-9_-]{1,128}$/,
}

/** Refuse a name that hosts would refuse, with one that they would take. */
export function checkName(name: string, naming: Naming): void {
  if (NAMES[naming].test(name)) return
  const letters = naming === 'strict' ? 'A-Z a-z 0-9 _ -' : 'A-Z a-z 0-9 _ . -'
  const better = name.replace(naming === 'strict' ? /[^A-Za-z0-9_-]+/g : /[^A-Za-z0-9_.-]+/g, '_').slice(0, 128)
  const hint = better === '' || better === name ? '' : ` Try '${better}'.`
  throw new TypeError(`Tool name '${name.slice(0, 200)}' is not allowed: 1 to 128 of ${letters}.${hint}`)
}

/** Does a name fit a pattern, in which `*` stands for anything? */
export function fitsPattern(name: string, pattern: string): boolean {
  const parts = pattern.split('*')
  const [first = ''] = parts
  if (parts.length === 1) return name === pattern
  const last = parts.at(-1) ?? ''
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > name.length - last.length) return false
    at = found + part.length
  }
  return true
}
