import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newToken } from '@causeway/engine/http'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { revokeToken, rotateToken } from '../../src/config/files/edit-token-file.ts'
import { textOf } from '../../src/config/files/replace-file.ts'
import { readTokens, serveTokens } from '../../src/serve/access/token-file.ts'

const [ada, bob] = [newToken('ada'), newToken('bob')]
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-tokens-'))
  file = join(folder, 'tokens')
  writeFileSync(file, `${ada.line}\n${bob.line}\n`)
})
const quiet = (): void => {}
const isTaken = (from: { authenticate: ReturnType<typeof readTokens>['authenticate'] }, token: string): boolean =>
  from.authenticate({ token }) !== undefined

describe('a token that is revoked', () => {
  test.each([
    ['after a comment with the same text', `# was: ${ada.line}\n${bob.line}\n${ada.line}\n`],
    ['on a line that begins with blanks', `${bob.line}\n  ${ada.line}\n`],
    ['on a line of Windows', `${ada.line}\r\n${bob.line}\r\n`],
    ['on the last line, without an end', `${bob.line}\n${ada.line}`],
  ])('%s is not taken any more, all others are', (_, text) => {
    writeFileSync(file, text)
    const again = rotateToken(file, 'ada')
    expect([ada.token, bob.token, again].map(token => isTaken(readTokens(file), token))).toEqual([false, true, true])
    revokeToken(file, 'ada')
    expect([ada.token, bob.token, again].map(token => isTaken(readTokens(file), token))).toEqual([false, true, false])
    expect(textOf(file)).not.toMatch(/^\s*ada /m)
  })

  test('is so in servers that were given a link to the file, and another one', async () => {
    for (const name of ['elsewhere', 'again']) mkdirSync(join(folder, name))
    const [real, another] = [join(folder, 'elsewhere', 'real'), join(folder, 'again', 'another')]
    renameSync(file, real)
    symlinkSync(real, file)
    const { authenticator } = serveTokens(file, quiet)
    revokeToken(file, 'ada')
    await vi.waitFor(() => expect(isTaken(authenticator, ada.token)).toBe(false), 10_000)
    expect(isTaken(authenticator, bob.token)).toBe(true)
    // The link leads to another file, which is then followed, too.
    writeFileSync(another, `${ada.line}\n${bob.line}\n`)
    symlinkSync(another, `${file}.next`)
    renameSync(`${file}.next`, file)
    await vi.waitFor(() => expect(isTaken(authenticator, ada.token)).toBe(true), 10_000)
    revokeToken(file, 'ada')
    await vi.waitFor(() => expect(isTaken(authenticator, ada.token)).toBe(false), 10_000)
  })
})

describe('a token file', () => {
  test('that became a pipe stops nothing', () => {
    const problems: unknown[] = []
    const tokens = serveTokens(file, (_, __, details) => void problems.push(details?.problem))
    rmSync(file)
    execFileSync('mkfifo', [file])
    tokens.reload()
    expect(problems).toEqual(['it is not a file'])
    expect(isTaken(tokens.authenticator, ada.token)).toBe(true)
  })

  test('of megabytes is refused', () => {
    writeFileSync(file, '#'.repeat(5 * 1024 * 1024))
    expect(() => readTokens(file)).toThrow('larger than')
  })
})
