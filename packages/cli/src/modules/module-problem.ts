/** Why a module cannot be used, and where. */
export interface ModuleProblem {
  readonly message: string
  readonly file: string
  readonly line?: number
  readonly column?: number
}

/** What went wrong while a file was loaded, at the place in our files that it names first. */
export function problemOf(error: unknown, file: string): ModuleProblem {
  const message = error instanceof Error ? error.message : String(error)
  return { message, ...((error instanceof Error && placeOf(error)) || { file }) }
}

/** Where in a tool's own code an error came from; undefined for one that came from elsewhere. */
export function placeIn(error: Error): string | undefined {
  const place = placeOf(error)
  return place && shown({ message: '', ...place })
}

/** The place of a problem, as terminals and editors link it. */
export const shown = ({ file, line, column }: ModuleProblem): string =>
  [file, line, column].filter(part => part !== undefined).join(':')

// This package, and the engine.
const OWN = [new URL('../', import.meta.url), new URL('./', import.meta.resolve('@causeway/engine'))].map(
  ({ href }) => href,
)

/** The first place in the stack, or at the head of a syntax error, that is in no package. */
function placeOf({ stack = '' }: Error): Omit<ModuleProblem, 'message'> | undefined {
  for (const [, url = '', line, column] of stack.matchAll(/(file:\/\/[^\s:)]+):(\d+)(?::(\d+))?/g)) {
    if (url.includes('/node_modules/') || OWN.some(own => url.startsWith(own))) continue
    const file = decodeURI(new URL(url.replace(/\?.*$/, '')).pathname)
    return { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) }
  }
  return undefined
}
