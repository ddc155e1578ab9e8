/** What a link leads to: files of the project, something outside of it, or nothing that is known. */
export interface Resolution {
  readonly files: readonly string[]
  /** The package or library that it means, if that is none of the project; empty if there is nothing to name. */
  readonly outside?: string
}

/** It leads nowhere. */
export const NOWHERE: Resolution = { files: [] }

/** It leads to files, or nowhere if there are none. */
export const to = (...files: (string | undefined)[]): Resolution => ({
  files: files.flatMap(file => file ?? []),
})

/** It leads to something that others made. */
export const outside = (name: string): Resolution => ({ files: [], outside: name })
