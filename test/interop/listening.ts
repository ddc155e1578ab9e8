import type { Spawned } from '../support/spawned.ts'

/** The address a process of ours says it listens on, once it says so. */
export const listeningAt = (served: Spawned): Promise<string> =>
  served.until(() => {
    for (const line of served.lines) {
      const [, url] = /listening on (http:\S+)/.exec(line) ?? []
      if (url !== undefined) return url
    }
    return undefined
  })
