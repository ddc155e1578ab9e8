/** Looks a variable up. */
export type Variables = (name: string) => string | undefined

const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{([^}]*)\}/g

/** A text with `${VAR}`, `${env:VAR}` and `${VAR:-default}` filled in; what cannot be is named in `problems`. */
export function expand(text: string, variables: Variables, problems: string[]): string {
  return text.replaceAll(REFERENCE, (whole, name?: string, fallback?: string, other?: string) => {
    if (name === undefined) {
      problems.push(
        other?.startsWith('input:')
          ? `${whole} asks a person when an editor starts it: set an environment variable and write \${VAR} instead`
          : `${whole} is not known: write \${VAR}, \${env:VAR} or \${VAR:-default}`,
      )
      return ''
    }
    const value = variables(name)
    if (value !== undefined && value !== '') return value
    if (fallback !== undefined) return fallback
    problems.push(`the environment variable ${name} is not set: set it, or write \${${name}:-default}`)
    return ''
  })
}

/** The variables of an `.env` file: `NAME=value` a line, quotes and comments allowed. */
export function parseEnvFile(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name, raw = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined) continue
    const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(raw) ?? []
    if (double !== undefined) found[name] = double.replaceAll(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c))
    else found[name] = single ?? raw.replace(/(?:^|\s)#.*$/, '')
  }
  return found
}
