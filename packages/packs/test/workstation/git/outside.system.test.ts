import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { trap } from './canary.ts'
import { fill, folder, git, initialise, open, repository } from '../place.ts'

const SECRET = 'the secret of another repository'
const outside = repository({ 'secret.txt': `${SECRET}\n` })
const secretBlob = git(outside, 'rev-parse', 'HEAD:secret.txt').trim()
const secretHead = git(outside, 'rev-parse', 'HEAD').trim()

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>]

/** What tools answer, or refuse with. */
async function answers(root: string, calls: readonly Call[]): Promise<string> {
  const client = open({ roots: [root] })
  const said: string[] = []
  for (const [tool, args] of calls) said.push(String(await client.call(tool, args).catch((error: unknown) => error)))
  return said.join('\n')
}

const READS: readonly Call[] = [
  ['git_status', {}],
  ['git_diff', {}],
  ['git_add', { files: ['.'] }],
  ['git_diff', { staged: true }],
  ['git_list_branches', {}],
  ...[secretBlob, secretHead, 'evil', 'evil/main'].map((revision): Call => ['git_show', { revision }]),
]
const WRITES: readonly Call[] = [
  ['git_add', { files: ['.'] }],
  ['git_commit', { message: 'attacker text' }],
  ...['modules/x', 'lfs/y', 'evil'].flatMap((branch): Call[] => [
    ['git_create_branch', { branch }],
    ['git_checkout', { branch }],
  ]),
]

const borrowed = (root: string, line: string): void =>
  writeFileSync(join(root, '.git/objects/info/alternates'), `${line}\n`)
const octal = (text: string): string =>
  [...Buffer.from(text)].map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')

const reads: Record<string, (root: string) => void> = {
  'a store in quotes': root => borrowed(root, `"${outside}/.git/objects"`),
  'a store in quotes, escaped': root => borrowed(root, `"${octal(`${outside}/.git/objects`)}"`),
  'a store of a store': root => {
    mkdirSync(join(root, 'second/info'), { recursive: true })
    writeFileSync(join(root, 'second/info/alternates'), `${outside}/.git/objects\n`)
    borrowed(root, join(root, 'second'))
  },
  'a store of a store, in quotes and relative': root => {
    mkdirSync(join(root, 'second/info'), { recursive: true })
    writeFileSync(join(root, 'second/info/alternates'), `"${outside}/.git/objects"\n`)
    borrowed(root, '"../../second"')
  },
  'a pack folder that is a link': root => {
    rmSync(join(root, '.git/objects/pack'), { recursive: true })
    symlinkSync(join(outside, '.git/objects/pack'), join(root, '.git/objects/pack'))
  },
  'a folder of objects that is a link': root => {
    const name = secretBlob.slice(0, 2)
    rmSync(join(root, '.git/objects', name), { recursive: true, force: true })
    symlinkSync(join(outside, '.git/objects', name), join(root, '.git/objects', name))
  },
  'an object that is a link': root => {
    const name = join(secretBlob.slice(0, 2), secretBlob.slice(2))
    mkdirSync(join(root, '.git/objects', secretBlob.slice(0, 2)), { recursive: true })
    symlinkSync(join(outside, '.git/objects', name), join(root, '.git/objects', name))
  },
  'refs that are links': root => symlinkSync(join(outside, '.git/refs/heads'), join(root, '.git/refs/heads/evil')),
  'a ref that is a link': root =>
    symlinkSync(join(outside, '.git/refs/heads/main'), join(root, '.git/refs/heads/evil')),
  'packed refs that are a link': root => {
    writeFileSync(join(outside, 'packed'), `${secretHead} refs/heads/evil\n`)
    symlinkSync(join(outside, 'packed'), join(root, '.git/packed-refs'))
  },
  'a submodule whose .git file points outside': root => {
    mkdirSync(join(root, 'part'))
    writeFileSync(join(root, 'part/.git'), `gitdir: ${outside}/.git\n`)
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},part`)
    git(root, 'config', 'diff.submodule', 'log')
    git(root, 'config', 'submodule.part.ignore', 'none')
  },
  'a new folder whose .git file points outside': root => {
    mkdirSync(join(root, 'part'))
    writeFileSync(join(root, 'part/.git'), `gitdir: ${outside}/.git\n`)
  },
}

test.each(Object.entries(reads))('nothing is read outside the roots through %s', async (_, make) => {
  const root = repository()
  make(root)
  fill(root, { 'a.txt': 'two\n' })
  const words = await answers(root, READS)
  expect(words).not.toContain(SECRET)
  expect(words).not.toContain(`Subproject commit ${secretHead}`)
  expect(git(root, 'ls-files', '--stage')).not.toContain(secretHead)
})

const writes: Record<string, (root: string, target: string) => void> = {
  'the reflogs': (root, target) => {
    rmSync(join(root, '.git/logs'), { recursive: true })
    symlinkSync(target, join(root, '.git/logs'))
  },
  'one reflog': (root, target) => {
    rmSync(join(root, '.git/logs/HEAD'))
    symlinkSync(join(target, 'HEAD'), join(root, '.git/logs/HEAD'))
  },
  'reflogs of branches in modules': (root, target) => {
    mkdirSync(join(root, '.git/logs/refs/heads/modules'), { recursive: true })
    symlinkSync(join(target, 'log'), join(root, '.git/logs/refs/heads/modules/x'))
  },
  'branches below lfs': (root, target) => symlinkSync(target, join(root, '.git/refs/heads/lfs')),
  'a branch that is a link to nothing yet': (root, target) => {
    mkdirSync(join(root, '.git/refs/heads/modules'))
    symlinkSync(join(target, 'x'), join(root, '.git/refs/heads/modules/x'))
  },
  'lock files': (root, target) => {
    for (const name of ['index.lock', 'HEAD.lock', 'refs/heads/main.lock']) {
      symlinkSync(join(target, 'lock'), join(root, '.git', name))
    }
  },
  'the index': (root, target) => {
    renameSync(join(root, '.git/index'), join(target, 'index'))
    symlinkSync(join(target, 'index'), join(root, '.git/index'))
  },
  'message and state files': (root, target) => {
    rmSync(join(root, '.git/COMMIT_EDITMSG'))
    for (const name of ['COMMIT_EDITMSG', 'ORIG_HEAD', 'MERGE_MSG'])
      symlinkSync(join(target, name), join(root, '.git', name))
  },
  objects: (root, target) => {
    rmSync(join(root, '.git/objects/pack'), { recursive: true })
    symlinkSync(target, join(root, '.git/objects/pack'))
    for (let i = 0; i < 256; i++) {
      const path = join(root, '.git/objects', i.toString(16).padStart(2, '0'))
      if (!existsSync(path)) symlinkSync(target, path)
    }
  },
}

const tree = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true }).map(entry => {
    const at = join(entry.parentPath, entry.name)
    return `${at} ${entry.isFile() ? readFileSync(at, 'latin1') : ''}`
  })

test.each(Object.entries(writes))('nothing is written outside the roots through %s', async (_, make) => {
  const root = repository()
  const target = folder()
  make(root, target)
  const before = tree(target)
  fill(root, { 'a.txt': 'two\n' })
  await answers(root, WRITES)
  expect(tree(target)).toEqual(before)
})

/** Let something go back and forth between two states, an even number of times, while calls are made. */
async function whileSwapping(swap: (even: boolean) => void, calls: () => Promise<unknown>): Promise<void> {
  const state = { on: true }
  const swapping = (async () => {
    for (let i = 0; state.on || i % 2 === 1; i++) {
      swap(i % 2 === 0)
      // Between any two steps of a call, and yet leaving it time to take some.
      await new Promise(resolve => void setTimeout(resolve, i % 7))
    }
  })()
  await calls().finally(() => (state.on = false))
  await swapping
}

const hostile = (program: string): string =>
  `[core]\n\tfsmonitor = ${program}\n\thooksPath = hooks\n[diff]\n\texternal = ${program}\n[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n`

async function manyCalls(root: string): Promise<void> {
  const client = open({ roots: [root] })
  for (let i = 0; i < 10; i++) {
    fill(root, { 'a.txt': `${i}\n` })
    const calls = ['git_status', 'git_diff', 'git_show', 'git_log'].map(tool => client.call(tool).catch(() => {}))
    calls.push(client.call('git_add', { files: ['a.txt'] }).catch(() => {}))
    await Promise.all(calls)
    await client.call('git_commit', { message: `${i}` }).catch(() => {})
  }
}

test('a configuration that is swapped while it is used gains nothing', async () => {
  const { program, sprung } = trap()
  const root = repository({ 'a.txt': 'one\n', '.gitattributes': '* filter=evil\n' })
  const config = join(root, '.git/config')
  cpSync(config, `${config}.good`)
  cpSync(config, `${config}.bad`)
  appendFileSync(`${config}.bad`, hostile(program))
  await whileSwapping(
    even => cpSync(even ? `${config}.bad` : `${config}.good`, config),
    () => manyCalls(root),
  )
  expect(sprung()).toEqual([])
})

test('a repository that is swapped for a link, or another one, while it is used gains nothing', async () => {
  const { program, sprung } = trap()
  const root = repository({ 'a.txt': 'one\n', '.gitattributes': '* filter=evil\n' })
  const evil = repository({ 'a.txt': 'one\n', '.gitattributes': '* filter=evil\n', 'secret.txt': `${SECRET}\n` })
  appendFileSync(join(evil, '.git/config'), hostile(program))
  const before = tree(join(evil, '.git'))
  symlinkSync(join(evil, '.git'), join(root, 'aside'))
  await whileSwapping(
    () => {
      renameSync(join(root, '.git'), join(root, 'between'))
      renameSync(join(root, 'aside'), join(root, '.git'))
      renameSync(join(root, 'between'), join(root, 'aside'))
    },
    () => manyCalls(root),
  )
  expect(sprung()).toEqual([])
  expect(tree(join(evil, '.git'))).toEqual(before)
})

test('a folder that only looks like a repository runs nothing either', async () => {
  const { program, sprung } = trap()
  const root = folder()
  mkdirSync(join(root, 'bare'))
  initialise(root)
  git(join(root, 'bare'), 'init', '--quiet', '--bare')
  appendFileSync(join(root, 'bare/config'), hostile(program))
  await answers(
    root,
    [...READS, ...WRITES].map(([tool, args]) => [tool, { ...args, repositoryPath: 'bare' }]),
  )
  expect(sprung()).toEqual([])
})
