import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { needs } from '../../../../../test/support/needs.ts'
import { fill, folder, initialise, open } from '../place.ts'

interface Found {
  readonly total: number
  readonly matches: readonly { readonly path: string; readonly line: number }[]
}

/** Sources of ours in a repository that ignores some of them, at several depths. */
function sources(): string {
  const root = folder()
  initialise(root)
  cpSync(fileURLToPath(new URL('../../../src/workstation', import.meta.url)), root, { recursive: true })
  fill(root, {
    '.gitignore': 'build/\n*.log\n!keep.log\n',
    'git/.gitignore': '/tools.ts\n',
    'a.log': 'const ignored = 1\n',
    'keep.log': 'const kept = 1\n',
    'edit/build/out.ts': 'const built = 1\n',
  })
  return root
}

/** What ripgrep finds, as `path:line`; like our search it looks into hidden files, but not into git's own. */
function byRipgrep(root: string, flags: readonly string[], pattern: string): string[] {
  const args = [
    '--no-config',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--hidden',
    '--glob',
    '!.git',
    ...flags,
  ]
  const { stdout, status } = spawnSync('rg', [...args, '-e', pattern, '.'], { cwd: root, encoding: 'utf8' })
  if (status === 2) throw new Error(`rg does not know ${pattern}`)
  const lines = stdout.split('\n').filter(Boolean)
  return lines.map(line => line.replace(/^\.\/([^:]*:\d+):.*/s, '$1')).toSorted()
}

describe('the same lines as ripgrep', needs('rg'), () => {
  const root = sources()
  const client = open({ roots: [root] })

  test.each([
    ['const {', {}, ['--fixed-strings']],
    ['CONST KEPT', { caseSensitive: false }, ['--fixed-strings', '--ignore-case']],
    ['(a|b)*[', {}, ['--fixed-strings']],
    [String.raw`\bclass\b`, { regex: true }, []],
    [String.raw`^import .* from '\.\./`, { regex: true }, []],
    ['(?:read|write)[A-Z]\\w{2,}', { regex: true }, []],
    ['[^\\x00-\\x7F]', { regex: true }, []],
    ['no such text anywhere', {}, ['--fixed-strings']],
  ])('for %s', async (content, options, flags) => {
    const found = (await client.call('search_files', { content, limit: 1000, ...options })) as Found
    const ours = found.matches.map(({ path, line }) => `${path}:${line}`).toSorted()
    expect(ours).toEqual(byRipgrep(root, flags, content))
    expect(found.total).toBe(ours.length)
  })

  test.each([
    [String.raw`\{\n +const`, ''],
    [String.raw`^import .*\nimport type .*$`, ''],
    [String.raw`(?s)/\*\*.*?\*/\nexport`, ''],
    [String.raw`\) \{\s+const \w+ = [^)]*?\n`, ''],
    [String.raw`\}\n\n\nx`, 'nowhere'],
  ])('over several lines for %s', async (content, where) => {
    const found = (await client.call('search_files', { content, regex: true, multiline: true, limit: 1000 })) as {
      matches: readonly { path: string; line: number; endLine?: number }[]
    }
    const lines = found.matches.flatMap(({ path, line, endLine = line }) =>
      Array.from({ length: endLine - line + 1 }, (_, i) => `${path}:${line + i}`),
    )
    expect(lines.toSorted()).toEqual(byRipgrep(root, ['--multiline'], content))
    expect(lines.length > 0).toBe(where === '')
  })
})
