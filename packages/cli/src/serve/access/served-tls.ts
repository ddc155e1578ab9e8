import { createSecureContext } from 'node:tls'
import { readFileSync, statSync } from 'node:fs'
import type { Log } from '@causeway/engine'
import type { HttpService, TlsOptions } from '@causeway/engine/http'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { followFiles } from '../follow-files.ts'

type TlsConfig = Pick<Config, 'tlsCert' | 'tlsKey' | 'tlsClientCa'>

const LARGEST = 1024 * 1024

/** The certificates that the configuration names; undefined if it names none. */
export function tlsOf({ tlsCert, tlsKey, tlsClientCa }: TlsConfig): TlsOptions | undefined {
  if (tlsCert === undefined && tlsKey === undefined) {
    if (tlsClientCa !== undefined) throw new UsageError('--tls-client-ca needs --tls-cert FILE and --tls-key FILE.')
    return undefined
  }
  if (tlsCert === undefined) throw new UsageError('--tls-key needs --tls-cert FILE.')
  if (tlsKey === undefined) throw new UsageError('--tls-cert needs --tls-key FILE.')
  const cert = textIn('tls-cert', tlsCert)
  const key = textIn('tls-key', tlsKey)
  const clientCa = tlsClientCa === undefined ? undefined : textIn('tls-client-ca', tlsClientCa)
  try {
    createSecureContext({ cert, key, ...(clientCa !== undefined && { ca: clientCa }) })
  } catch (error) {
    throw new UsageError(`--tls-cert ${tlsCert} and --tls-key ${tlsKey} cannot be used together: ${wordsOf(error)}.`, 4)
  }
  return { cert, key, clientCa }
}

/** Use the certificates as they are now, whenever their files change. Files that cannot be used change nothing. */
export function followTls(
  config: TlsConfig,
  service: Pick<HttpService, 'replaceTls'>,
  log: Log,
): { reload(): void } | undefined {
  const { tlsCert, tlsKey, tlsClientCa } = config
  const files = [tlsCert, tlsKey, tlsClientCa].filter(file => file !== undefined)
  if (files.length === 0) return undefined
  const reload = (): void => {
    try {
      const tls = tlsOf(config)
      if (tls) service.replaceTls(tls)
      log('info', 'the TLS certificates were read again', { files })
    } catch (error) {
      log('error', 'the TLS certificates cannot be used and stay as they were', { files, problem: wordsOf(error) })
    }
  }
  followFiles(files, reload)
  return { reload }
}

function textIn(flag: string, file: string): string {
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new Error('it is not a file')
    if (stats.size > LARGEST) throw new Error(`it is larger than ${LARGEST} bytes`)
    const text = readFileSync(file, 'utf8')
    if (!text.includes('-----BEGIN ')) throw new Error('it has no PEM block, which begins with -----BEGIN')
    return text
  } catch (error) {
    throw new UsageError(`--${flag} ${file} cannot be used: ${wordsOf(error)}.`, 4)
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
