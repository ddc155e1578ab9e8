/** One rectangle of a treemap. */
export interface Tile<T> {
  readonly item: T
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

interface Sized<T> {
  readonly item: T
  readonly size: number
}

/** Rectangles as large as their sizes, as square as they can be: rows along the shorter side, filled while that helps. */
export function tiled<T>(items: readonly Sized<T>[], width: number, height: number): readonly Tile<T>[] {
  const rest = items.toSorted((a, b) => b.size - a.size)
  const total = rest.reduce((sum, { size }) => sum + size, 0)
  const scale = total > 0 ? (width * height) / total : 0
  const tiles: Tile<T>[] = []
  let [x, y, w, h] = [0, 0, width, height]
  for (let at = 0; at < rest.length;) {
    const side = Math.min(w, h)
    let end = at + 1
    while (end < rest.length && worst(rest.slice(at, end + 1), scale, side) <= worst(rest.slice(at, end), scale, side))
      end += 1
    const row = rest.slice(at, end)
    const thick = side > 0 ? row.reduce((sum, { size }) => sum + size * scale, 0) / side : 0
    let along = 0
    for (const { item, size } of row) {
      const length = thick > 0 ? (size * scale) / thick : 0
      tiles.push(
        w < h ? { item, x: x + along, y, w: length, h: thick } : { item, x, y: y + along, w: thick, h: length },
      )
      along += length
    }
    if (w < h) [y, h] = [y + thick, Math.max(0, h - thick)]
    else [x, w] = [x + thick, Math.max(0, w - thick)]
    at = end
  }
  return tiles
}

/** How far from square the worst rectangle of a row is. */
function worst(row: readonly Sized<unknown>[], scale: number, side: number): number {
  const sum = row.reduce((all, { size }) => all + size * scale, 0)
  const ratios = row.map(({ size }) => {
    const area = size * scale
    return Math.max((side * side * area) / (sum * sum), (sum * sum) / (side * side * area))
  })
  return Math.max(...ratios)
}
