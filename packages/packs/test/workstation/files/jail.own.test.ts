import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createJail } from '../../../src/support/files/jail.ts'
import { reading, replace } from '../../../src/support/files/file.ts'
import { folder } from '../place.ts'

const outside = folder({ 'secret.txt': 'secret' })
const root = folder({ 'a.txt': 'a', 'sub/b.txt': 'b' })
const second = folder({ 'c.txt': 'c' })
symlinkSync(outside, join(root, 'out'))
symlinkSync(join(outside, 'secret.txt'), join(root, 'secret-link'))
symlinkSync(join(outside, 'not-yet.txt'), join(root, 'dangling'))
symlinkSync('dangling', join(root, 'chained'))
symlinkSync('sub', join(root, 'in'))
symlinkSync('loop-b', join(root, 'loop-a'))
symlinkSync('loop-a', join(root, 'loop-b'))
const jail = createJail([root, second])

test.each([
  ['a.txt', 'a.txt'],
  ['./sub/../a.txt', 'a.txt'],
  ['in/b.txt', 'sub/b.txt'],
  ['in/new/deep.txt', 'sub/new/deep.txt'],
  ['not/there/yet', 'not/there/yet'],
  ['sub/', 'sub'],
  ['..a', '..a'],
  ['...', '...'],
])('%s resolves inside', async (path, real) => {
  expect(await jail.resolve(path)).toBe(join(root, real))
  expect(await jail.resolve(join(root, path))).toBe(join(root, real))
})

test('another root is reached by its absolute path, and a root is inside itself', async () => {
  expect(await jail.resolve(join(second, 'c.txt'))).toBe(join(second, 'c.txt'))
  expect(await jail.resolve('.')).toBe(root)
  expect(await jail.resolve(second)).toBe(second)
})

const escapes = [
  '..',
  '../x',
  'sub/../../x',
  `../${basename(outside)}/secret.txt`,
  join(outside, 'secret.txt'),
  join(outside, 'nothing-there'),
  `${root}-sibling`,
  `${root}-sibling/x`,
  `../${basename(root)}-evil/x`,
  '/',
  '/etc/passwd',
  '/etc/passwd/x',
  '/proc/self/environ',
  '/proc/self/root/etc/passwd',
  '/proc/self/cwd',
  '/dev/null',
  '/dev/stdin',
  'out',
  'out/secret.txt',
  'out/new.txt',
  'out/../../etc/passwd',
  'secret-link',
  'dangling',
  'chained',
  'chained/x',
  'in/../../x',
]

test.each(escapes)('%s is refused, naming the argument, what was sent and the roots', async path => {
  const error = await jail.resolve(path, 'repositoryPath').catch((e: unknown) => e)
  expect(error).toBeInstanceOf(Error)
  const { message, kind } = error as Error & { kind: string }
  expect(kind).toBe('invalid-arguments')
  expect(message).toContain("'repositoryPath'")
  expect(message).toContain(path.slice(0, 100))
  expect(message).toContain(root)
  expect(message).toContain(second)
})

test.each([
  ['', 'must not be empty'],
  ['  ', 'must not be empty'],
  ['a.txt\0.png', 'must not contain NUL'],
  ['loop-a', 'Too many symbolic links'],
  ['x'.repeat(300), 'too long'],
  ['x/'.repeat(3000), 'too long'],
])('%#: a path that cannot be is refused', async (path, words) => {
  await expect(jail.resolve(path)).rejects.toThrow(words)
})

test('an echoed path is cut', async () => {
  const error = (await jail.resolve(`/${'y'.repeat(200)}`).catch((e: unknown) => e)) as Error
  expect(error.message).toContain(`${'y'.repeat(99)}…`)
  expect(error.message).not.toContain('y'.repeat(100))
})

test('unicode look-alikes of dots and slashes are plain names, and other forms of a name are other names', async () => {
  for (const name of ['․․', '．．', '‥', 'a／b', '%2e%2e', '..%2f..', '..\\..']) {
    expect(await jail.resolve(name)).toBe(join(root, name))
  }
  writeFileSync(join(root, 'caf\u00e9'), 'nfc')
  expect(await jail.resolve('cafe\u0301')).toBe(join(root, 'cafe\u0301'))
  expect(await jail.resolve('CAF\u00c9')).toBe(join(root, 'CAF\u00c9'))
})

test('the whole machine as root does not mean its devices and processes', async () => {
  const all = createJail(['/'])
  expect(await all.resolve('/etc')).toBe('/etc')
  for (const path of [
    '/proc/self/environ',
    '/proc/1/mem',
    '/dev/null',
    '/sys/kernel',
    '/dev/stdin',
    'proc',
    '/dev/fd/0',
  ]) {
    await expect(all.resolve(path)).rejects.toThrow('outside')
  }
})

test('a root that is missing, or no directory, or none at all, is an error', () => {
  expect(() => createJail([join(root, 'missing')])).toThrow('ENOENT')
  expect(() => createJail([join(root, 'a.txt')])).toThrow('not a directory')
  expect(() => createJail([])).toThrow('At least one root')
})

test('a root may be given through a link', async () => {
  const alias = join(outside, 'alias')
  symlinkSync(root, alias)
  const linked = createJail([alias])
  expect(linked.roots).toEqual([root])
  expect(await linked.resolve(join(alias, 'a.txt'))).toBe(join(root, 'a.txt'))
})

test('a link at the end is taken as itself when asked for, if it leads inside', async () => {
  symlinkSync('a.txt', join(root, 'to-a'))
  expect(await jail.locate({ path: 'to-a', link: true })).toBe(join(root, 'to-a'))
  expect(await jail.locate({ path: 'in/b.txt', link: true })).toBe(join(root, 'sub/b.txt'))
  await expect(jail.locate({ path: 'secret-link', link: true })).rejects.toThrow('outside')
  expect(await jail.locate({ path: '.', link: true })).toBe(root)
})

test('what is held stays what it was, whatever its path leads to meanwhile', async () => {
  mkdirSync(join(root, 'held'))
  await jail.at({ path: 'held/file.txt' }, async place => {
    renameSync(join(root, 'held'), join(root, 'moved'))
    symlinkSync(outside, join(root, 'held'))
    await replace(place, 'mine')
  })
  expect(readFileSync(join(root, 'moved/file.txt'), 'utf8')).toBe('mine')
  expect(existsSync(join(outside, 'file.txt'))).toBe(false)
})

test('a file that became a link after it was looked at is not read', async () => {
  await jail.at({ path: 'sub/b.txt' }, async place => {
    renameSync(join(root, 'sub/b.txt'), join(root, 'sub/old.txt'))
    symlinkSync(join(outside, 'secret.txt'), join(root, 'sub/b.txt'))
    await expect(reading(place, () => Promise.resolve('read'))).rejects.toThrow(/ELOOP/)
    unlinkSync(join(root, 'sub/b.txt'))
    renameSync(join(root, 'sub/old.txt'), join(root, 'sub/b.txt'))
  })
})

test('directories swapped for links while files are written through them: nothing lands outside', async () => {
  const race = folder({ 'real/keep.txt': '' })
  const target = folder()
  const own = createJail([race])
  symlinkSync(target, join(race, 'link'))
  const state = { swapping: true }
  const swap = async (): Promise<void> => {
    while (state.swapping) {
      try {
        renameSync(join(race, 'real'), join(race, 'aside'))
        renameSync(join(race, 'link'), join(race, 'real'))
        await new Promise(resolve => void setImmediate(resolve))
        renameSync(join(race, 'real'), join(race, 'link'))
        renameSync(join(race, 'aside'), join(race, 'real'))
      } catch {
        // The writer made a directory where one was missing.
      }
      await new Promise(resolve => void setImmediate(resolve))
    }
  }
  const swapper = swap()
  const outcomes = { written: 0, refused: 0 }
  for (let i = 0; i < 400; i++) {
    await own
      .at({ path: `real/f${i}.txt` }, place => replace(place, 'x'))
      .then(
        () => outcomes.written++,
        () => outcomes.refused++,
      )
  }
  state.swapping = false
  await swapper
  expect(readdirSync(target)).toEqual([])
  expect(outcomes.written).toBeGreaterThan(0)
  expect(outcomes.refused).toBeGreaterThan(0)
})

test('directories are made one by one, never through a link', async () => {
  await jail.inside({ path: 'made/x/y', make: true }, dir => writeFile(dir.at('z'), 'z'))
  expect(readFileSync(join(root, 'made/x/y/z'), 'utf8')).toBe('z')
  await expect(jail.inside({ path: 'out/evil', make: true }, () => Promise.resolve())).rejects.toThrow('outside')
  await expect(jail.inside({ path: 'a.txt/evil', make: true }, () => Promise.resolve())).rejects.toThrow(
    'not a directory',
  )
  expect(readdirSync(outside).toSorted()).toEqual(['alias', 'secret.txt'])
})

test('no descriptor is left open', async () => {
  const count = (): number => readdirSync('/proc/self/fd').length
  const before = count()
  for (let i = 0; i < 50; i++) {
    await jail.at({ path: 'sub/b.txt' }, place => reading(place, () => Promise.resolve()))
    await jail.at({ path: 'missing/dir/x' }, () => Promise.resolve()).catch(() => {})
    await jail.inside({ path: 'a.txt' }, () => Promise.resolve()).catch(() => {})
  }
  expect(count()).toBeLessThanOrEqual(before + 2)
})

test('where an open directory has no address, paths are used and looked at again', async () => {
  const real = process.platform
  vi.resetModules()
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  const plain = (await import('../../../src/support/files/jail.ts')).createJail([root])
  Object.defineProperty(process, 'platform', { value: real })
  await plain.inside({ path: 'plain/dir', make: true }, async dir => {
    expect(dir.at('x')).toBe(join(root, 'plain/dir/x'))
    await writeFile(dir.at('x'), 'x')
  })
  await plain.at({ path: 'plain/dir/x' }, place => replace(place, 'y'))
  expect(readFileSync(join(root, 'plain/dir/x'), 'utf8')).toBe('y')
  await plain.inside({ path: 'plain' }, dir =>
    dir.enter('dir', inner => Promise.resolve(expect(inner.path).toBe(join(root, 'plain/dir')))),
  )
  for (const path of escapes) await expect(plain.resolve(path)).rejects.toThrow('outside')
})
