/** Looks a variable up. */
export type Variables = (name: string) => string | undefined

const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{([^}]*)\}/g

/**
 * A text with `${VAR}`, `${env:VAR}` and `${VAR:-default}` filled in; what cannot be is named in `problems`. Without
 * variables it stays as it is.
 */
export function expand(text: string, variables: Variables | undefined, problems: string[]): string {
  return text.replaceAll(REFERENCE, (whole, name?: string, fallback?: string, other?: string) => {
    if (!variables) {
      problems.push(
        `${whole} is not filled in, since the entry is not trusted: write its value, or set "trusted": true`,
      )
      return whole
    }
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
