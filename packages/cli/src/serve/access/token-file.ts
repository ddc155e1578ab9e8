import { readFileSync, statSync } from 'node:fs'
import type { Log } from '@causeway/engine'
import { bearerTokens } from '@causeway/engine/http'
import type { FollowedTokens } from '@causeway/engine/http'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { followFiles } from '../follow-files.ts'

/** The tokens of a file, as they are now. */
export interface ServedTokens {
  readonly authenticator: FollowedTokens
  /** Read the file again. One that cannot be used changes nothing. */
  reload(): void
}

// A token needs about 100 bytes.
const LARGEST = 4 * 1024 * 1024

function textIn(file: string): string {
  const { size } = statSync(file)
  if (size > LARGEST) throw new Error(`it is larger than ${LARGEST} bytes`)
  return readFileSync(file, 'utf8')
}

/** The tokens of a file; one that cannot be used is refused with why. */
export function readTokens(file: string): FollowedTokens {
  try {
    return bearerTokens(textIn(file))
  } catch (error) {
    throw new UsageError(`--token-file ${file}: ${error instanceof Error ? error.message : String(error)}`, 4)
  }
}

/** The tokens of the file that a configuration names, if it names one. */
export const tokensOf = ({ tokenFile }: Pick<Config, 'tokenFile'>, log: Log): ServedTokens | undefined =>
  tokenFile === undefined ? undefined : serveTokens(tokenFile, log)

/** Tokens that are taken back or added in the file are so at once: streams, sockets and sessions of the former end. */
export function serveTokens(file: string, log: Log): ServedTokens {
  const tokens = readTokens(file)
  const reload = (): void => {
    try {
      // A pipe can be read once, at the start; later it would stop everything.
      if (!statSync(file).isFile()) throw new Error('it is not a file')
      const revoked = tokens.replace(textIn(file))
      log('info', 'tokens were read again', { tokens: tokens.principals.length, ended: revoked })
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      log('error', 'the token file cannot be used; the tokens stay as they were', { file, problem })
    }
  }
  followFiles([file], reload)
  return { authenticator: tokens, reload }
}
