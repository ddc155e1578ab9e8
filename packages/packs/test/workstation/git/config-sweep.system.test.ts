import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { everything, trap } from './canary.ts'
import { fill, folder, git, initialise, open, repository } from '../place.ts'
import { running } from '../processes.ts'

// Every setting of git's documentation that could name a program, and those that only its source knows.
const SUSPECT =
  /command|cmd|program|driver|helper|hook|editor|pager|textconv|external|process|clean|smudge|proxy|askpass|path|tool|browser|template|fsmonitor|pack$|vcs|filter|update|url|recurse|submodule|worker|thread|alias|file|dir/i
const FURTHER =
  `alias.status alias.log alias.diff alias.show alias.add alias.commit alias.branch alias.checkout pager.status
  pager.log pager.diff pager.show pager.branch diff.evil.command diff.evil.textconv diff.evil.cachetextconv filter.evil.clean
  filter.evil.smudge filter.evil.process merge.evil.driver merge.default credential.helper credential.https://x.helper
  gpg.program gpg.ssh.program gpg.x509.program gpg.openpgp.program gpg.ssh.defaultKeyCommand trailer.evil.command
  trailer.evil.cmd submodule.part.update tar.evil.command uploadpack.packObjectsHook remote.origin.vcs
  remote.origin.uploadpack remote.origin.receivepack sendemail.tocmd sendemail.cccmd instaweb.httpd guitool.evil.cmd
  interactive.diffFilter sequence.editor core.alternateRefsCommand core.gitProxy core.sshCommand core.askPass
  receive.procReceiveRefs core.editor core.pager core.fsmonitor core.hooksPath diff.external init.templateDir
  man.evil.cmd man.evil.path browser.evil.cmd browser.evil.path difftool.evil.cmd mergetool.evil.cmd hook.evil.command
  hook.evil.event`.split(/\s+/)

/** The settings as a file: everything that could name a program does, and programs are asked for where they can be. */
function hostileConfig(program: string): string {
  const documented = execFileSync('git', ['help', '--config'], { encoding: 'utf8' }).split('\n')
  const known = documented.map(key => key.trim()).filter(key => /^[\w.<>*()-]+$/.test(key) && SUSPECT.test(key))
  expect(known.length).toBeGreaterThan(100)
  const keys = new Set([...known.map(key => key.replaceAll(/<[^>]*>|\*|\(.*?\)/g, 'evil')), ...FURTHER])
  // What says how the repository itself is built would only make it unusable.
  const apart =
    /^(?:advice\.|feature\.|core\.(?:worktree|bare|repositoryformatversion)|extensions\.|include|branch\.|remote\.evil\.fetch)/i
  const lines = [...keys]
    .filter(key => !apart.test(key))
    .map(key => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
      const middle = first === last ? '' : ` "${key.slice(first + 1, last)}"`
      return `[${key.slice(0, first)}${middle}]\n\t${key.slice(last + 1)} = "${program} ${key}"\n`
    })
  return `${lines.join('')}[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n[checkout]\n\tworkers = 200
\tthresholdForParallelism = 1\n[diff]\n\tsubmodule = diff\n\tignoreSubmodules = none\n[submodule]\n\trecurse = true
[submodule "part"]\n\tignore = none\n[status]\n\tsubmoduleSummary = true\n[filter "evil"]\n\trequired = true\n`
}

const MODULES = '[submodule "part"]\n\tpath = part\n\turl = ./part\n\tignore = none\n'
const ATTRIBUTES = '* diff=evil merge=evil -text\n*.odd filter=evil\n'

const madeNested = new Map<number, string>()

/** A repository with a submodule, in it another, and so on: a copy, since making one takes nine processes per level. */
function nested(depth: number): { root: string; deepest: string[] } {
  const made = madeNested.get(depth) ?? makeNested(depth)
  madeNested.set(depth, made)
  const root = folder()
  cpSync(made, root, { recursive: true, preserveTimestamps: true })
  return {
    root,
    deepest: Array.from({ length: depth }, (_, i) => join(root, 'part/'.repeat(i + 1))),
  }
}

function makeNested(depth: number): string {
  const root = repository({ 'a.txt': 'one\n', 'x.odd': 'odd\n', '.gitattributes': ATTRIBUTES, '.gitmodules': MODULES })
  let at = root
  const deepest: string[] = []
  for (let i = 0; i < depth; i++) {
    const part = join(at, 'part')
    mkdirSync(part)
    initialise(part)
    fill(part, { 'a.txt': 'one\n', 'x.odd': 'odd\n', '.gitattributes': ATTRIBUTES, '.gitmodules': MODULES })
    git(part, 'add', '.')
    git(part, 'commit', '--quiet', '--message', 'part')
    deepest.push(part)
    at = part
  }
  for (const path of [root, ...deepest].toReversed()) {
    git(path, 'add', '.')
    git(path, 'commit', '--quiet', '--allow-empty', '--message', 'with its part')
  }
  return root
}

// As long as before, so that git has to look at the contents, and would run a filter to do so.
const changed = (root: string): void => fill(root, { 'a.txt': 'two\n', 'x.odd': 'new\n', 'new.txt': 'new\n' })

async function useAll(root: string, repositoryPath = '.'): Promise<string[]> {
  const top = join(root, repositoryPath)
  // A linked working tree cannot take the branch of the main one.
  const branch = repositoryPath === 'tree' ? 'tree' : 'main'
  const said = await everything(open({ roots: [root] }), top, { repositoryPath }, branch)
  const analysis = connect(createServer({ name: 't', version: '1' }).add(toolkit({ roots: [root] })))
  const project = { project_path: join(root, repositoryPath) }
  const churn = await analysis.call('analyze_code_churn', project).catch((error: unknown) => `FAILED ${String(error)}`)
  said.push(JSON.stringify(churn))
  return said
}

const places: Record<string, (program: string) => { root: string; path?: string }> = {
  'the repository': program => {
    const { root } = nested(1)
    appendFileSync(join(root, '.git/config'), hostileConfig(program))
    return { root }
  },
  'a file it includes': program => {
    const { root } = nested(1)
    fill(root, { '.git/more': hostileConfig(program) })
    appendFileSync(join(root, '.git/config'), '[include]\n\tpath = more\n[includeIf "gitdir:**"]\n\tpath = more\n')
    return { root }
  },
  'the configuration of its working tree': program => {
    const { root } = nested(1)
    appendFileSync(
      join(root, '.git/config'),
      '[core]\nrepositoryFormatVersion = 1\n[extensions]\nworktreeConfig = true\n',
    )
    fill(root, { '.git/config.worktree': hostileConfig(program) })
    return { root }
  },
  'a linked working tree': program => {
    const root = folder()
    const main = join(root, 'main')
    renameSync(nested(1).root, main)
    git(main, 'worktree', 'add', '--quiet', '-b', 'tree', join(root, 'tree'))
    git(main, 'config', 'core.repositoryFormatVersion', '1')
    git(main, 'config', 'extensions.worktreeConfig', 'true')
    fill(main, { '.git/worktrees/tree/config.worktree': hostileConfig(program) })
    appendFileSync(join(main, '.git/config'), hostileConfig(program))
    return { root, path: 'tree' }
  },
  'a submodule': program => {
    const { root, deepest } = nested(1)
    for (const part of deepest) {
      appendFileSync(join(part, '.git/config'), hostileConfig(program))
      changed(part)
    }
    appendFileSync(join(root, '.git/config'), hostileConfig('true'))
    return { root }
  },
  'submodules four deep': program => {
    const { root, deepest } = nested(4)
    for (const part of deepest) {
      const filter = `[filter "evil"]\n\tclean = ${program} clean\n`
      appendFileSync(join(part, '.git/config'), `${filter}[diff]\n\texternal = ${program} external\n`)
      changed(part)
    }
    git(root, 'config', 'diff.submodule', 'diff')
    git(root, 'config', 'submodule.part.ignore', 'none')
    return { root }
  },
  'a configuration of 12 MB': program => {
    const { root } = nested(1)
    const filler = `[filter "f"]\n\tclean = "${'x'.repeat(6_000_000)}"\n`
    appendFileSync(join(root, '.git/config'), `${filler}${hostileConfig(program)}${filler}`)
    return { root }
  },
}

test.each(Object.entries(places))('no program is run that is named in %s', async (name, make) => {
  const { program, sprung } = trap()
  const { root, path } = make(program)
  changed(join(root, path ?? '.'))
  const said = await useAll(root, path)
  expect(sprung()).toEqual([])
  const failed = said.filter(line => line.includes('FAILED'))
  const expected = /through the filter 'evil'|must name a stash|There are uncommitted changes|config' is larger than/
  expect(failed.filter(line => !expected.test(line))).toEqual([])
  expect(failed.length === said.length).toBe(name.includes('12 MB'))
})

test('the same settings do run programs when git is left alone', () => {
  const sample = { 'diff.external': ['diff'], 'filter.evil.clean': ['add', 'x.odd'], 'core.fsmonitor': ['status'] }
  for (const [key, args] of Object.entries(sample)) {
    const { program, sprung } = trap()
    const { root } = nested(1)
    git(root, 'config', key, program)
    changed(root)
    try {
      git(root, ...args)
    } catch {
      // What the trap answers is of no use to git.
    }
    expect({ key, count: sprung().length }).toEqual({ key, count: expect.any(Number) })
    expect(sprung().length, key).toBeGreaterThan(0)
  }
})

test('attributes in the repository’s own folder name nothing that is run', async () => {
  const { program, sprung } = trap()
  const { root } = nested(1)
  writeFileSync(join(root, '.git/info/attributes'), '* diff=evil merge=evil\n*.odd filter=evil\n')
  appendFileSync(join(root, '.git/config'), hostileConfig(program))
  changed(root)
  await useAll(root)
  expect(sprung()).toEqual([])
})

test('file and git tools together turn no folder into a submodule that runs something', async () => {
  const { program, sprung } = trap()
  const root = repository({ 'a.txt': 'one\n', 'part/.gitkeep': '' })
  appendFileSync(join(root, '.git/config'), hostileConfig(program))
  const client = open({ roots: [root] })
  for (const [tool, args] of [
    ['move_file', { source: '.git', destination: 'part/.git' }],
    ['write_file', { path: '.git', content: 'gitdir: part/.git' }],
    ['write_file', { path: 'part/.git', content: `gitdir: ${root}/.git` }],
    ['write_file', { path: '.git/config', content: hostileConfig(program) }],
  ] as const) {
    await expect(client.call(tool, args)).rejects.toThrow('git director')
  }
  changed(root)
  await useAll(root)
  expect(sprung()).toEqual([])
})

function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

test('a repository does not choose how many processes work for it', async () => {
  const files = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}.txt`, `${i}\n`]))
  const root = repository(files)
  git(root, 'checkout', '--quiet', '-b', 'empty')
  git(root, 'rm', '--quiet', '-r', '.')
  git(root, 'commit', '--quiet', '--message', 'empty')
  git(root, 'config', 'checkout.workers', '200')
  git(root, 'config', 'checkout.thresholdForParallelism', '1')
  const call = { isRunning: true, workers: 0 }
  const switching = open({ roots: [root] })
    .call('git_checkout', { branch: 'main' })
    .finally(() => (call.isRunning = false))
  while (call.isRunning) {
    const here = running('checkout--worker').filter(pid => directoryOf(pid) === root)
    call.workers = Math.max(call.workers, here.length)
    await new Promise(resolve => void setImmediate(resolve))
  }
  expect(await switching).toBe('Switched to main')
  expect(call.workers).toBe(0)
  expect(git(root, 'status', '--porcelain')).toBe('')
})
