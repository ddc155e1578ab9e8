import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { memoryStore } from '@causeway/engine/stores'
import type { CredentialStore, StoredTokens, TokensKey } from '@causeway/engine/client'
import { redisStore } from '@causeway/engine/redis'
import { credentialStoreContract } from '@causeway/engine/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runContract } from '../../../engine/test/support/contract.ts'
import { needs } from '../../../../test/support/needs.ts'
import { RedisServer } from '../../../../test/support/redis-server.ts'
import { openCredentials } from '../../src/login/open-credentials.ts'
import { folderRecords } from '../../src/login/folder-records.ts'
import { readKey, readOrMakeKey } from '../../src/login/key-file.ts'
import type { SealedCredentials } from '../../src/login/sealed-credentials.ts'

const SERVER = 'https://a.test/mcp'
const keyOf = (principal: string): TokensKey => ({ kind: 'tokens', principal, server: SERVER })
const tokens: StoredTokens = {
  issuer: 'https://as.test',
  accessToken: 'access-secret',
  refreshToken: 'refresh-secret',
  obtainedAt: 0,
  scopes: ['read'],
  clientId: 'c',
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'causeway-logins-'))
const openIn = (data: string, keyFile?: string): SealedCredentials => openCredentials({ data, keyFile }, undefined)
const sealedIn = (data: string): string[] =>
  readdirSync(join(data, 'credentials'))
    .filter(name => name.endsWith('.sealed'))
    .map(name => join(data, 'credentials', name))

const folders = new Map<CredentialStore, string>()
runContract('logins in a folder', credentialStoreContract, {
  open() {
    const data = newFolder()
    const store = openIn(data)
    folders.set(store, data)
    return store
  },
  join: store => openIn(folders.get(store) ?? ''),
})

test('two processes that share a store in memory see the same logins', async () => {
  const [store, data] = [memoryStore(), newFolder()]
  const [one, two] = [
    openCredentials({ data, keyFile: undefined }, store),
    openCredentials({ data, keyFile: undefined }, store),
  ]
  await one.set(keyOf('ada'), tokens)
  await two.set(keyOf('bob'), tokens)
  expect((await one.logins(SERVER)).map(login => 'principal' in login && login.principal)).toEqual(['ada', 'bob'])
  await one.delete(keyOf('ada'))
  expect(await two.logins(SERVER)).toMatchObject([{ principal: 'bob' }])
  expect(existsSync(join(data, 'credentials'))).toBe(false)
})

test('the lock in a store ends after a minute, if its process does not end it', async () => {
  let now = 0
  const [store, data] = [memoryStore({ now: () => now }), newFolder()]
  const [one, two] = [1, 2].map(() => openCredentials({ data, keyFile: undefined }, store))
  const begun = new Promise<void>(resolve => {
    void one?.exclusive(keyOf('ada'), () => new Promise(() => resolve()))
  })
  await begun
  now += 61_000
  expect(await two?.exclusive(keyOf('ada'), async () => 7)).toBe(7)
})

describe('in Redis', needs('redis-server'), () => {
  let server: RedisServer
  let prefixes = 0
  const prefixOf = new Map<CredentialStore, string>()
  const [keyFile, closers] = [join(newFolder(), 'key'), [] as (() => Promise<void>)[]]

  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(async () => {
    for (const close of closers) await close()
    await server.stop()
  })

  const open = async (prefix = `l${++prefixes}:`, key = keyFile): Promise<SealedCredentials> => {
    const store = await redisStore(server.url, { prefix })
    closers.push(() => store.close())
    const credentials = openCredentials({ data: undefined, keyFile: key }, store)
    prefixOf.set(credentials, prefix)
    return credentials
  }

  runContract('logins', credentialStoreContract, { open: () => open(), join: store => open(prefixOf.get(store)) })

  test('nothing that is secret is readable there, and another key says what to do', async () => {
    const store = await open('shown:')
    await store.set(keyOf('ada'), tokens)
    const raw = await redisStore(server.url, { prefix: 'shown:' })
    onTestFinished(() => raw.close())
    expect(await raw.stats()).toMatchObject({ credential: 1 })
    const otherKey = join(newFolder(), 'other')
    readOrMakeKey(otherKey)
    const other = await open('shown:', otherKey)
    await expect(other.get(keyOf('ada'))).rejects.toThrow('All processes that share the store need the same key')
    expect(await store.logins(SERVER)).toMatchObject([{ principal: 'ada', tokens }])
  })
})

describe('files', () => {
  test('are for their owner alone, and hold nothing that can be read', async () => {
    const data = newFolder()
    const store = openIn(data)
    expect(await store.get(keyOf('ada lovelace'))).toBeUndefined()
    expect(readdirSync(data)).toEqual([])
    await store.set(keyOf('ada lovelace'), tokens)
    const [file = ''] = sealedIn(data)
    const modes = [join(data, 'credentials'), file, join(data, 'credentials.key')].map(
      path => statSync(path).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o600, 0o600])
    expect(readFileSync(file, 'utf8') + file).not.toMatch(/secret|lovelace|a\.test/)
    expect(readdirSync(join(data, 'credentials'))).toHaveLength(1)
  })

  test('a folder that others can read is closed to them', async () => {
    const data = newFolder()
    mkdirSync(join(data, 'credentials'), { mode: 0o755 })
    chmodSync(join(data, 'credentials'), 0o755)
    await openIn(data).set(keyOf('ada'), tokens)
    expect(statSync(join(data, 'credentials')).mode & 0o777).toBe(0o700)
  })

  const damage: readonly (readonly [string, (file: string, text: string) => void, RegExp])[] = [
    [
      'changed',
      (file, text) =>
        writeFileSync(
          file,
          text.replace(/.\n$/, last => (last === 'A\n' ? 'B\n' : 'A\n')),
        ),
      /is damaged/,
    ],
    ['truncated', (file, text) => writeFileSync(file, text.slice(0, -20)), /is damaged/],
    ['empty', file => writeFileSync(file, ''), /is damaged/],
    ['of something else', file => writeFileSync(file, '{"accessToken":"x"}'), /is damaged/],
    ['huge', file => writeFileSync(file, 'x'.repeat(300_000)), /too large/],
    ['a folder', file => (rmSync(file), mkdirSync(file)), /cannot be read/],
  ]
  test.each(damage)('a file that is %s loses nothing else', async (_, harm, said) => {
    const data = newFolder()
    const store = openIn(data)
    await store.set(keyOf('ada'), tokens)
    const [file = ''] = sealedIn(data)
    await store.set(keyOf('bob'), tokens)
    harm(file, readFileSync(file, 'utf8'))
    await expect(store.get(keyOf('ada'))).rejects.toThrow(said)
    await expect(store.get(keyOf('ada'))).rejects.toThrow(file)
    expect(await store.get(keyOf('bob'))).toEqual(tokens)
    const listed = await store.logins(SERVER)
    expect(listed.map(login => ('problem' in login ? 'problem' : login.principal)).toSorted()).toEqual([
      'bob',
      'problem',
    ])
    expect(JSON.stringify(listed.find(login => 'problem' in login))).not.toContain('secret')
  })

  test('a file under the name of another is refused', async () => {
    const data = newFolder()
    const store = openIn(data)
    await store.set(keyOf('ada'), tokens)
    const [ada = ''] = sealedIn(data)
    await store.set(keyOf('bob'), { ...tokens, accessToken: 'of bob' })
    const bob = sealedIn(data).find(file => file !== ada) ?? ''
    writeFileSync(ada, readFileSync(bob))
    await expect(store.get(keyOf('ada'))).rejects.toThrow('is damaged')
  })

  test('with another key, or without one, nothing is read or lost', async () => {
    const data = newFolder()
    await openIn(data).set(keyOf('ada'), tokens)
    const other = join(data, 'other.key')
    await expect(openIn(data, other).get(keyOf('ada'))).rejects.toThrow(`cannot be read without its key, ${other}`)
    await expect(openIn(data, other).set(keyOf('bob'), tokens)).rejects.toThrow('without its key')
    expect(existsSync(other)).toBe(false)
    readOrMakeKey(other)
    await expect(openIn(data, other).get(keyOf('ada'))).rejects.toThrow('sealed with another key')
    expect(await openIn(data).get(keyOf('ada'))).toEqual(tokens)
  })
})

describe('the key', () => {
  test('is made once, whoever comes first', () => {
    const file = join(newFolder(), 'deep', 'key')
    const ids = new Set(Array.from({ length: 5 }, () => readOrMakeKey(file).id))
    expect(ids.size).toBe(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file))).toEqual(['key'])
  })

  test.each(['', 'short', `${'x'.repeat(43)} more`])('%j is no key', text => {
    const file = join(newFolder(), 'key')
    writeFileSync(file, text)
    expect(() => readKey(file)).toThrow(/does not hold a key. Restore the file/)
  })
})

describe('the lock of a login', () => {
  const locks = async (mark: string, age = 0): Promise<boolean> => {
    const folder = newFolder()
    const lock = join(folder, 'x.lock')
    writeFileSync(lock, mark)
    if (age > 0) utimesSync(lock, new Date(Date.now() - age), new Date(Date.now() - age))
    await folderRecords(folder).locked('x', async () => {})
    return existsSync(lock)
  }

  test('ends with its process', async () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    expect(await locks(`${pid} 0 ${hostname()}`)).toBe(false)
  })

  test('ends after a minute, where its process is elsewhere', async () => {
    expect(await locks('1 0 another-machine', 61_000)).toBe(false)
  })

  test('that was left half broken is broken', async () => {
    const folder = newFolder()
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeFileSync(join(folder, 'x.lock'), `${pid} 0 ${hostname()}`)
    writeFileSync(join(folder, 'x.lock.break'), '')
    utimesSync(join(folder, 'x.lock.break'), new Date(0), new Date(0))
    expect(await folderRecords(folder).locked('x', async () => 7)).toBe(7)
    expect(readdirSync(folder)).toEqual([])
  })

  test('of many that find one left behind is held by one at a time', async () => {
    const folder = newFolder()
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeFileSync(join(folder, 'x.lock'), `${pid} 0 ${hostname()}`)
    let [running, most] = [0, 0]
    const task = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await new Promise(resolve => void setImmediate(resolve))
      running -= 1
    }
    await Promise.all(Array.from({ length: 8 }, () => folderRecords(folder).locked('x', task)))
    expect(most).toBe(1)
  })
})
