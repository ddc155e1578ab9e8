/** Round numbers that cover a range: where an axis has its marks. */
export function ticks(most: number, about: number, least = 0): readonly number[] {
  const range = most - least
  if (!(range > 0)) return [least]
  const rough = range / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(factor => factor * power).find(one => one >= rough) ?? power
  const found: number[] = []
  for (let at = Math.ceil(least / step) * step; at <= most + step * 1e-6; at += step)
    found.push(Number(at.toPrecision(12)))
  return found
}

/** `1.2k`, `3.4M`: short enough for an axis. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e9) return `${trim(value / 1e9)}G`
  if (size >= 1e6) return `${trim(value / 1e6)}M`
  if (size >= 1e4) return `${trim(value / 1e3)}k`
  return trim(value)
}

const trim = (value: number): string => String(Number(value.toPrecision(3)))
