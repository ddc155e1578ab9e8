import { createHash } from 'node:crypto'
import { bearerTokens, newToken } from '@causeway/engine/http'
import { editFile, textOf } from './replace-file.ts'
import { UsageError } from '../usage-error.ts'

const lineOf = (name: string): RegExp =>
  new RegExp(`^[ \\t]*${name.replaceAll(/[.]/g, '\\.')}[ \\t]+.*(?:\\r?\\n|$)`, 'm')

const NONE_LEFT = '# Every token was revoked.'

/** Add a token to a file, which is created if needed. A name that has one is refused. The token. */
export function addToken(file: string, name: string, scopes: readonly string[] = []): string {
  const made = newToken(name, scopes)
  change(file, before => `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${made.line}\n`)
  return made.token
}

/** Give a name another token with the same scopes; the old one is refused from then on. The token. */
export function rotateToken(file: string, name: string): string {
  let token = ''
  change(file, before => {
    const [line] = lineOf(name).exec(before) ?? []
    if (line === undefined) throw unknown(file, name)
    const made = newToken(name, line.trim().split(/\s+/).slice(2))
    token = made.token
    // By the pattern, since a comment before it may have the same text.
    return before.replace(lineOf(name), () => `${made.line}\n`)
  })
  return token
}

/** Remove the token of a name. */
export function revokeToken(file: string, name: string): void {
  if (textOf(file) === undefined) throw unknown(file, name)
  editFile(file, (before = '') => {
    if (!lineOf(name).test(before)) throw unknown(file, name)
    const after = before.replace(lineOf(name), '')
    // Running servers take an empty file for one that is being written, and keep their tokens.
    return /^\s*[^\s#]/m.test(after) ? after : `${after}${NONE_LEFT}\n`
  })
}

/** Does a file have a token for a name, and is it this one? */
export function holdsToken(file: string, name: string, token?: string): boolean {
  const [line] = lineOf(name).exec(textOf(file) ?? '') ?? []
  if (line === undefined) return false
  return token === undefined || line.includes(createHash('sha256').update(token).digest('hex'))
}

/** Several processes may do this at once: each sees what the others have written. */
const change = (file: string, edit: (before: string) => string): void =>
  editFile(file, (before = '') => {
    const after = edit(before)
    try {
      bearerTokens(after)
    } catch (error) {
      throw new UsageError(`--token-file ${file}: ${error instanceof Error ? error.message : String(error)}`, 4)
    }
    return after
  })

const unknown = (file: string, name: string): UsageError =>
  new UsageError(`--token-file ${file}: there is no token for '${name.slice(0, 100)}'.`, 4)
