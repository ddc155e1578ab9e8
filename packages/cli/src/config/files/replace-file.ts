import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../usage-error.ts'

/** What a file holds; nothing if there is none. */
export function textOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  try {
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unusable(file, 'read', error)
  }
}

const unusable = (file: string, what: string, error: unknown): UsageError =>
  new UsageError(`${file} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}`, 4)

/** Replace a file at once, through links, with the mode it has; a new one is for its owner alone. */
export function replaceFile(file: string, text: string): void {
  try {
    replace(file, text)
  } catch (error) {
    throw unusable(file, 'written', error)
  }
}

function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const real = existsSync(file) ? realpathSync(file) : file
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
  const next = `${real}.causeway-${process.pid}`
  try {
    writeFileSync(next, text, { mode, flag: 'wx' })
    renameSync(next, real)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}
