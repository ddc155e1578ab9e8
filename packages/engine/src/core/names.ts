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
