/** A commit, as far as its place in the graph depends on it. */
export interface Linked {
  readonly hash: string
  readonly parents: readonly string[]
}

/** Where a commit is drawn, and which lines pass from its row to the next. */
export interface Row {
  readonly lane: number
  readonly lines: readonly { readonly from: number; readonly to: number }[]
  readonly width: number
}

/** Lanes for commits, the newest first: a lane belongs to the commit that it leads to. */
export function lanesOf(commits: readonly Linked[]): readonly Row[] {
  let lanes: (string | undefined)[] = []
  return commits.map(({ hash, parents }) => {
    const known = lanes.indexOf(hash)
    const lane = known >= 0 ? known : free(lanes)
    const before = [...lanes]
    before[lane] = hash
    const after = before.map(one => (one === hash ? undefined : one))
    const own = parents.map((parent, i) => {
      const there = after.indexOf(parent)
      const to = there >= 0 ? there : i === 0 && after[lane] === undefined ? lane : free(after)
      after[to] = parent
      return { from: lane, to }
    })
    // A lane that leads to this commit ends here; every other one goes on.
    const passing = before.flatMap((one, from) => (one === undefined || one === hash ? [] : [{ from, to: from }]))
    lanes = after
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop()
    return { lane, lines: [...passing, ...own], width: Math.max(before.length, after.length) }
  })
}

function free(lanes: readonly (string | undefined)[]): number {
  const at = lanes.indexOf(undefined)
  return at >= 0 ? at : lanes.length
}
