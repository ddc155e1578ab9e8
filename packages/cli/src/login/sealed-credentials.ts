import { createHash } from 'node:crypto'
import type { CredentialKey, CredentialStore, StoredValue, TokensKey } from '@causeway/engine/client'
import { isObject, keyText, openSealed, sealText } from '@causeway/engine/internal'
import { UsageError } from '../config/usage-error.ts'
import { readKey, readOrMakeKey } from './key-file.ts'
import type { SealingKey } from './key-file.ts'
import { LARGEST_RECORD } from './sealed-records.ts'
import type { SealedRecords } from './sealed-records.ts'

/** A stored login of one principal, or why it cannot be read. */
export type ListedLogin =
  | { readonly principal: string; readonly tokens: StoredValue<TokensKey> }
  | { readonly problem: string; readonly forget: () => Promise<void> }

/** Credentials that outlive the process, sealed with a key of their own. */
export interface SealedCredentials extends CredentialStore {
  /** Who is logged in to a server. */
  logins(server: string): Promise<readonly ListedLogin[]>
}

const FORMAT = 'causeway-credential-1'

/** Seal what records hold with the key of a file, which is made when the first credential is written. */
export function sealedCredentials(records: SealedRecords, keyFile: string): SealedCredentials {
  const open = async (name: string): Promise<Sealed | undefined> => {
    const text = await records.read(name)
    if (text === undefined) return undefined
    const found = openRecord(text, name, readKey(keyFile))
    if (typeof found !== 'string') return found
    throw new UsageError(unreadable(records, name, found, keyFile), 4)
  }
  return {
    get: async <K extends CredentialKey>(key: K) => (await open(nameOf(key)))?.value as StoredValue<K> | undefined,
    async set(key, value) {
      const name = nameOf(key)
      const text = sealRecord({ key, value }, name, readKey(keyFile) ?? (await firstKey(records, keyFile)))
      if (text.length > LARGEST_RECORD) throw new UsageError('The tokens of the server are too large to be stored.', 1)
      await records.write(name, text)
    },
    delete: key => records.delete(nameOf(key)),
    exclusive: (key, task) => records.locked(nameOf(key), task),
    async logins(server) {
      const names = await records.names(groupOf('tokens', server))
      const found = await Promise.all(names.map(name => listed(name, open, records)))
      return found.flat()
    },
  }
}

/** A new key, unless there are credentials that an old one has sealed. */
async function firstKey(records: SealedRecords, keyFile: string): Promise<SealingKey> {
  const [name] = await records.names('')
  if (name === undefined) return readOrMakeKey(keyFile)
  throw new UsageError(unreadable(records, name, 'missing', keyFile), 4)
}

interface Sealed {
  readonly key: Readonly<Record<string, unknown>>
  readonly value: unknown
}

async function listed(
  name: string,
  open: (name: string) => Promise<Sealed | undefined>,
  records: SealedRecords,
): Promise<ListedLogin[]> {
  try {
    const found = await open(name)
    if (!found) return []
    return [{ principal: String(found.key.principal), tokens: found.value as StoredValue<TokensKey> }]
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return [{ problem, forget: () => records.delete(name) }]
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** Begins the names of all that belongs to one server, or to one issuer. */
const groupOf = (kind: string, place: string): string => hash(`${kind} ${place}`)

const nameOf = (key: CredentialKey): string =>
  `${groupOf(key.kind, key.kind === 'tokens' ? key.server : key.issuer)}-${hash(keyText(key))}`

/** A record belongs to its name: put elsewhere, it cannot be opened. */
const contextOf = (name: string): Buffer => Buffer.from(`${FORMAT} ${name}`)

function sealRecord(content: object, name: string, { bytes, id }: SealingKey): string {
  return `${FORMAT} ${id} ${sealText(JSON.stringify(content), { key: bytes, context: contextOf(name) })}\n`
}

/** What a record holds, or why that cannot be known. */
function openRecord(text: string, name: string, key: SealingKey | undefined): Sealed | 'key' | 'missing' | 'damaged' {
  const [, id, sealed] = /^causeway-credential-1 ([\da-f]{16}) ([\w-]+)\n$/.exec(text) ?? []
  if (id === undefined || sealed === undefined) return 'damaged'
  if (!key) return 'missing'
  if (key.id !== id) return 'key'
  const content = openSealed(sealed, { key: key.bytes, context: contextOf(name) })
  if (content === undefined) return 'damaged'
  const value: unknown = JSON.parse(content)
  return isObject(value) && isObject(value.key) ? { key: value.key, value: value.value } : 'damaged'
}

function unreadable(records: SealedRecords, name: string, why: 'key' | 'missing' | 'damaged', keyFile: string): string {
  const place = records.shown(name)
  if (why === 'damaged') return `The stored login ${place} is damaged. Delete it, and log in again.`
  const reason =
    why === 'key' ? `was sealed with another key than that of ${keyFile}` : `cannot be read without its key, ${keyFile}`
  const share = records.isShared ? 'All processes that share the store need the same key: use --key-file FILE' : ''
  return `The stored login ${place} ${reason}. ${share || 'Name its key with --key-file FILE'}, or delete it and log in again.`
}
