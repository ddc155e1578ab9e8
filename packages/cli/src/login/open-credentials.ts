import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { gatewayFolder } from '../config/files/servers-file.ts'
import { openStore } from '../serve/open-store.ts'
import { folderRecords } from './folder-records.ts'
import { sealedCredentials } from './sealed-credentials.ts'
import type { SealedCredentials } from './sealed-credentials.ts'
import { storeRecords } from './store-records.ts'
import type { RecordStore } from './store-records.ts'

type Places = Pick<Config, 'data' | 'keyFile'>

/**
 * Whose login it is where there is one user: that of the command line, and of a gateway over stdio or on this machine
 * without tokens, which uses the same name.
 */
export const LOCAL_PRINCIPAL = 'default'

/** The file of the key that stored logins are sealed with. */
export const keyFileOf = ({ data, keyFile }: Places): string =>
  keyFile === undefined ? join(dirname(gatewayFolder(data)), 'credentials.key') : resolve(keyFile)

/** The stored logins of a configuration: in the shared store if there is one, else in a folder. Nothing is read or written yet. */
export const openCredentials = (config: Places, store: RecordStore | undefined): SealedCredentials =>
  sealedCredentials(
    store ? storeRecords(store) : folderRecords(join(dirname(gatewayFolder(config.data)), 'credentials')),
    keyFileOf(config),
  )

/** Use the stored logins, and close the shared store afterwards. */
export async function withCredentials<T>(config: Config, use: (found: SealedCredentials) => Promise<T>): Promise<T> {
  const store = await openStore(config, () => {})
  try {
    return await use(openCredentials(config, store))
  } finally {
    await store?.close()
  }
}
