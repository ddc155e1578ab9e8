/** Something that may have a name beside it. */
export interface Spot {
  readonly name: string
  readonly x: number
  readonly y: number
}

/** Where a name stands: its place, and which end of it is there. */
export interface Label {
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'middle' | 'end'
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const CHARACTER = 6.2
const HALF_LINE = 7
const AWAY = 14
const RADIUS = 10

/** Places for names, the first spots first: beside the spot, above or below it, wherever nothing else is; or none. */
export function placeLabels(spots: readonly Spot[], width: number, most: number): ReadonlyMap<number, Label> {
  const taken: Box[] = []
  const placed = new Map<number, Label>()
  const dots = spots.map(({ x, y }) => ({ left: x - RADIUS, right: x + RADIUS, top: y - RADIUS, bottom: y + RADIUS }))
  for (const [i, spot] of spots.entries()) {
    if (placed.size === most) break
    const others = dots.filter((_, j) => j !== i)
    const found = candidates(spot).find(label => {
      const box = boxOf(label, spot.name)
      const isInside = box.left >= 0 && box.right <= width && box.top >= 0
      return isInside && ![...taken, ...others].some(other => overlap(box, other))
    })
    if (!found) continue
    taken.push(boxOf(found, spot.name))
    placed.set(i, found)
  }
  return placed
}

const candidates = ({ x, y }: Spot): readonly Label[] => [
  { x: x + AWAY, y: y + 4, anchor: 'start' },
  { x: x - AWAY, y: y + 4, anchor: 'end' },
  { x, y: y + 24, anchor: 'middle' },
  { x, y: y - AWAY, anchor: 'middle' },
  // At an edge, where a name in the middle would not fit.
  { x: x + RADIUS, y: y + 24, anchor: 'end' },
  { x: x + RADIUS, y: y - AWAY, anchor: 'end' },
  { x: x - RADIUS, y: y + 24, anchor: 'start' },
  { x: x - RADIUS, y: y - AWAY, anchor: 'start' },
]

function boxOf({ x, y, anchor }: Label, name: string): Box {
  const length = name.length * CHARACTER
  const left = anchor === 'start' ? x : anchor === 'end' ? x - length : x - length / 2
  return { left, right: left + length, top: y - 4 - HALF_LINE, bottom: y - 4 + HALF_LINE }
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
