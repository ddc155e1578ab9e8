import { removeIfStale } from '../../support/files/temporary.ts'
import { walk } from '../../support/files/walk.ts'

// A root that is a whole disk is not worth more.
const LONGEST_MS = 3000

/** Remove what processes that were killed left of files they were writing, below a root, as far as time allows. */
export function sweep(root: string): number {
  const until = performance.now() + LONGEST_MS
  let removed = 0
  walk([{ path: '' }], {
    root,
    ignored: 'all',
    visit: () => (performance.now() < until ? 'on' : 'end'),
    temporary: (name, directory) => {
      if (removeIfStale(name, directory.at(name))) removed++
    },
  })
  return removed
}
