import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isTemporary, sweepDirectory, temporaryName } from '../../src/support/files/temporary.ts'
import { removeLeftovers } from '../../src/workstation/files/remove-leftovers.ts'
import { folder, open } from '../workstation/place.ts'

/** The number of a process that is gone. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid
const ours = temporaryName()
const left = (): string => ours.replace(`-${process.pid}-`, `-${deadPid()}-`)
const foreign = ours.replace(/^(\.causeway-)[0-9a-f]{8}/, '$1ffffffff')

test('only what a process that is gone left is removed', () => {
  const here = folder()
  const [gone, linked, nested] = [left(), left(), left()]
  for (const name of [ours, gone, foreign, 'a.tmp', '.causeway-x.tmp']) writeFileSync(join(here, name), '')
  symlinkSync('a.tmp', join(here, linked))
  mkdirSync(join(here, nested))
  expect([ours, gone, foreign].every(isTemporary)).toBe(true)
  sweepDirectory(here)
  expect(readdirSync(here).toSorted()).toEqual([ours, foreign, linked, nested, 'a.tmp', '.causeway-x.tmp'].toSorted())
  // Of another boot or container: after a day nobody is writing it any more.
  utimesSync(join(here, foreign), new Date(0), new Date(0))
  sweepDirectory(here)
  expect(existsSync(join(here, foreign))).toBe(false)
  sweepDirectory(join(here, 'nowhere'))
})

test('a sweep goes everywhere below a root, and follows no link', () => {
  const outside = folder({ [left()]: '' })
  const here = folder({
    [`a/b/${left()}`]: '',
    [`node_modules/x/${left()}`]: '',
    '.gitignore': 'node_modules\n',
    [`a/${ours}`]: '',
  })
  symlinkSync(outside, join(here, 'link'))
  expect(removeLeftovers(here)).toBe(2)
  expect(readdirSync(outside)).toHaveLength(1)
  expect(readdirSync(join(here, 'a')).toSorted()).toEqual([ours, 'b'])
})

test('a server that may write removes what another one left, and one that may not leaves it', async () => {
  const [writing, reading] = [folder({ [`a/${left()}`]: '' }), folder({ [`a/${left()}`]: '' })]
  const readOnly = open({ roots: [reading], readOnly: true })
  const client = open({ roots: [writing] })
  await expect.poll(() => readdirSync(join(writing, 'a'))).toEqual([])
  expect(readdirSync(join(reading, 'a'))).toHaveLength(1)
  expect(await client.call('search_files', { pattern: '*', includeIgnored: true })).toMatchObject({ total: 0 })
  expect(await readOnly.call('search_files', { pattern: '*', includeIgnored: true })).toMatchObject({ total: 0 })
})
