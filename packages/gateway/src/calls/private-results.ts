import { resultStep } from '@causeway/engine/policies'
import type { Policy } from '@causeway/engine'

/** What a server shows to one login is not for caches that several share, whatever the server says. */
export const privateResults = (isPrivate: () => boolean): Policy =>
  resultStep({
    onResult: result => (result.cacheScope === 'public' && isPrivate() ? { ...result, cacheScope: 'private' } : result),
  })
