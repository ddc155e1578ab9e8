import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a file holds; nothing if there is none. */
export const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Replace a file at once, through links, with the mode it has; a new one is for its owner alone. */
export function replaceFile(file: string, text: string): void {
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
