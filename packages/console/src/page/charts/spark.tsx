import type { VNode } from 'preact'

const WIDTH = 240
const HEIGHT = 40

/** The course of one or two figures, small; its newest value is the number beside it. */
export function Spark({
  lines,
  label,
}: {
  readonly lines: readonly (readonly number[])[]
  readonly label: string
}): VNode {
  const most = Math.max(1e-9, ...lines.flat())
  return (
    <div class="chart spark">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {lines.map((values, i) => (
          <g key={i}>
            {i === 0 && <path class="area" d={`${pathOf(values, most)}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />}
            <path
              class={`line ${i === 1 ? 'second' : ''}`}
              d={pathOf(values, most)}
              vector-effect="non-scaling-stroke"
            />
          </g>
        ))}
      </svg>
    </div>
  )
}

function pathOf(values: readonly number[], most: number): string {
  if (values.length < 2) return `M0 ${HEIGHT - 1}L${WIDTH} ${HEIGHT - 1}`
  const x = (i: number): number => (i / (values.length - 1)) * WIDTH
  const y = (value: number): number => HEIGHT - 2 - (value / most) * (HEIGHT - 4)
  return values.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('')
}
