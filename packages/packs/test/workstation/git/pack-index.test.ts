import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { folder, git, open, repository } from '../place.ts'

const CHUNK_ENTRY_BYTES = 12
const HEADER_BYTES = 12

/** An index of several packs in which one pack has another name; git takes the name for a path. */
function renamePack(index: Buffer, name: string): Buffer {
  const chunks = index[6] ?? 0
  const entryAt = (i: number): number => HEADER_BYTES + i * CHUNK_ENTRY_BYTES
  const offsetOf = (i: number): number => Number(index.readBigUInt64BE(entryAt(i) + 4))
  const padded = Buffer.alloc(Math.ceil((name.length + 1) / 4) * 4)
  padded.write(name, 'latin1')
  const head = Buffer.from(index.subarray(0, entryAt(chunks + 1)))
  const bodies: Buffer[] = []
  let at = head.length
  for (let i = 0; i < chunks; i++) {
    const isNames = index.toString('latin1', entryAt(i), entryAt(i) + 4) === 'PNAM'
    const body = isNames ? padded : index.subarray(offsetOf(i), offsetOf(i + 1))
    head.writeBigUInt64BE(BigInt(at), entryAt(i) + 4)
    bodies.push(body)
    at += body.length
  }
  head.writeBigUInt64BE(BigInt(at), entryAt(chunks) + 4)
  return Buffer.concat([head, ...bodies, index.subarray(offsetOf(chunks))])
}

test('an index of packs names none outside the roots', async () => {
  const secret = 'the secret of another repository'
  const outside = repository({ 'secret.txt': `${secret}\n` })
  git(outside, 'repack', '-a', '-d', '--quiet')
  const head = git(outside, 'rev-parse', 'HEAD').trim()
  const packs = join(outside, '.git/objects/pack')
  const pack = readdirSync(packs).find(name => name.endsWith('.idx')) ?? ''
  const twin = folder()
  cpSync(outside, twin, { recursive: true })
  git(twin, 'multi-pack-index', 'write')
  const index = readFileSync(join(twin, '.git/objects/pack/multi-pack-index'))

  const root = repository({ 'own.txt': 'own\n' })
  const own = join(root, '.git/objects/pack')
  writeFileSync(join(own, 'multi-pack-index'), renamePack(index, relative(own, join(packs, pack))))
  // Git itself follows it, so the attack is real.
  expect(git(root, 'show', `${head}:secret.txt`)).toContain(secret)
  const client = open({ roots: [root] })
  const answer = await client.call('git_show', { revision: `${head}:secret.txt` }).catch((error: unknown) => error)
  expect(String(answer)).not.toContain(secret)
  expect(String(await client.call('git_show', { revision: 'HEAD' }))).toContain('own.txt')
})

test('objects in packs are read, with or without an index of several', async () => {
  const root = repository({ 'own.txt': 'own\n' })
  git(root, 'repack', '-a', '-d', '--quiet')
  git(root, 'multi-pack-index', 'write')
  const client = open({ roots: [root] })
  expect(String(await client.call('git_show', { revision: 'HEAD:own.txt' }))).toContain('own')
  rmSync(join(root, '.git/objects/pack/multi-pack-index'))
  expect(String(await client.call('git_show', { revision: 'HEAD:own.txt' }))).toContain('own')
})

test('a folder with very many packs is refused, and says what to do', async () => {
  const root = repository({ 'own.txt': 'own\n' })
  for (let i = 0; i <= 5000; i++) {
    writeFileSync(join(root, '.git/objects/pack', `pack-${i.toString(16).padStart(40, '0')}.rev`), '')
  }
  await expect(open({ roots: [root] }).call('git_show', { revision: 'HEAD' })).rejects.toThrow('run git gc')
})
