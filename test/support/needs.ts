import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What tests are registered with that need something this machine may not have. */
export interface Needs {
  readonly skip: boolean
  readonly meta: { readonly needs: string }
}

declare module 'vitest' {
  interface TaskMeta {
    needs?: string
  }
}

/**
 * The options of tests that need a program, or something else by that name. Where it is missing they are not run, which
 * the end of the run says in one line; where the variable TEST_REQUIRE names it, its absence is a failure.
 */
export function needs(what: string, isThere: boolean = isInstalled(what)): Needs {
  const required = (process.env.TEST_REQUIRE ?? '').split(',')
  if (!isThere && required.includes(what)) throw new Error(`${what} is missing, and TEST_REQUIRE demands it`)
  return { skip: !isThere, meta: { needs: what } }
}

/** Is there a program of that name? */
export function isInstalled(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some(folder => canRun(join(folder, program)))
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
