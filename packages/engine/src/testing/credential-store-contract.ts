import { deepEqual, equal, rejects } from 'node:assert/strict'
import type { CredentialStore, StoredTokens, TokensKey } from '../client/auth/credential-store.ts'
import type { ContractCase } from './contract.ts'

/** How the cases get at stores of credentials. */
export interface CredentialStoreUnderTest {
  /** A store with nothing in it. */
  open(): CredentialStore | Promise<CredentialStore>
  /** The same credentials, as another process sees them. */
  join(store: CredentialStore): CredentialStore | Promise<CredentialStore>
}

const ada: TokensKey = { kind: 'tokens', principal: 'ada', server: 'https://a.test/mcp' }
const tokens: StoredTokens = {
  issuer: 'https://as.test',
  accessToken: 'one',
  refreshToken: 'r "€"',
  expiresAt: 1,
  obtainedAt: 0,
  resource: 'https://a.test/mcp',
  scopes: ['a', 'b'],
  clientId: 'c',
  dpopKey: '{"kty":"EC"}',
}

type StoreCase = ContractCase<CredentialStoreUnderTest>

/** Runs that overlap under one key would show here. */
async function overlaps(stores: readonly CredentialStore[]): Promise<number> {
  let [running, most] = [0, 0]
  const task = async (): Promise<void> => {
    most = Math.max(most, ++running)
    await new Promise(resolve => void setImmediate(resolve))
    running -= 1
  }
  await Promise.all([...stores, ...stores, ...stores].map(store => store.exclusive(ada, task)))
  return most
}

/** What every store of credentials does. */
export const credentialStoreContract: readonly StoreCase[] = [
  {
    name: 'credentials are there until they are deleted, for other processes too',
    run: async ({ open, join }) => {
      const store = await open()
      const other = await join(store)
      equal(await store.get(ada), undefined)
      await store.set(ada, tokens)
      deepEqual(await other.get(ada), tokens)
      await other.set(ada, { ...tokens, accessToken: 'two' })
      equal((await store.get(ada))?.accessToken, 'two')
      await other.delete(ada)
      await other.delete(ada)
      equal(await store.get(ada), undefined)
    },
  },
  {
    name: 'each part of a key matters',
    run: async ({ open }) => {
      const store = await open()
      const keys: TokensKey[] = [
        ada,
        { ...ada, principal: 'bob' },
        { ...ada, principal: 'ADA' },
        { ...ada, principal: '../ada' },
        { ...ada, server: 'https://a.test/mcp/' },
      ]
      for (const key of keys) await store.set(key, { ...tokens, accessToken: JSON.stringify(key) })
      for (const key of keys) equal((await store.get(key))?.accessToken, JSON.stringify(key))
      const client = { kind: 'client', issuer: ada.server, redirectUri: ada.principal } as const
      equal(await store.get(client), undefined)
      await store.set(client, { clientId: 'c' })
      deepEqual(await store.get(client), { clientId: 'c' })
      equal(await store.get({ ...client, redirectUri: '' }), undefined)
    },
  },
  {
    name: 'exclusive tasks of one key come one after the other, in all processes',
    run: async ({ open, join }) => {
      const store = await open()
      equal(await overlaps([store, await join(store)]), 1)
    },
  },
  {
    name: 'an exclusive task gives its result or its error, and the next one runs',
    run: async ({ open }) => {
      const store = await open()
      await rejects(
        store.exclusive(ada, () => Promise.reject(new Error('no'))),
        /no/,
      )
      equal(await store.exclusive(ada, async () => 7), 7)
    },
  },
  {
    name: 'an exclusive task uses the store',
    run: async ({ open }) => {
      const store = await open()
      await store.exclusive(ada, async () => store.set(ada, { ...tokens, ...(await store.get(ada)) }))
      deepEqual(await store.get(ada), tokens)
    },
  },
]
