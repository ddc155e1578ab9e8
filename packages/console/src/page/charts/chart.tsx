import type { VNode } from 'preact'
import type { Distribution, Drawing, Scatter, Series } from './recognise.ts'
import { placeLabels } from './labels.ts'
import { short, ticks } from './scale.ts'

const WIDTH = 720
const HEIGHT = 240
const LEFT = 48
const BOTTOM = 28
const TOP = 8
const MOST_BARS = 24
const MOST_NAMES = 8

/** A drawing, with its title; what it shows is also there as a table. */
export function Chart({ drawing }: { readonly drawing: Drawing }): VNode {
  return (
    <figure class="chart">
      <figcaption>
        <h3>{drawing.title[0]?.toUpperCase() + drawing.title.slice(1)}</h3>
      </figcaption>
      {drawing.kind === 'series' && <SeriesChart {...drawing} />}
      {drawing.kind === 'distribution' && <BarChart {...drawing} />}
      {drawing.kind === 'scatter' && <ScatterChart {...drawing} />}
    </figure>
  )
}

/** The lines behind a drawing that its values are read off by. */
function Grid({ most, y }: { readonly most: number; y(value: number): number }): VNode {
  return (
    <g>
      {ticks(most, 4).map(value => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {short(value)}
          </text>
        </g>
      ))}
    </g>
  )
}

const scaleY =
  (most: number) =>
  (value: number): number =>
    HEIGHT - BOTTOM - (value / (most || 1)) * (HEIGHT - BOTTOM - TOP)

function SeriesChart({ title, points }: Series): VNode {
  const most = Math.max(1e-9, ...points.map(point => point.y))
  const y = scaleY(most)
  const step = (WIDTH - LEFT) / Math.max(1, points.length)
  const x = (i: number): number => LEFT + (i + 0.5) * step
  const path = points.map((point, i) => `${i === 0 ? 'M' : 'L'}${x(i)} ${y(point.y)}`).join('')
  const every = Math.ceil(points.length / 8)
  const isBars = points.length <= 60
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${title}: ${points.length} values, at most ${short(most)}`}
    >
      <Grid most={most} y={y} />
      {isBars
        ? points.map((point, i) => (
            <rect
              key={i}
              class="bar"
              x={x(i) - step * 0.38}
              width={step * 0.76}
              y={y(point.y)}
              height={Math.max(0, HEIGHT - BOTTOM - y(point.y))}
              rx={Math.min(3, step / 6)}
            >
              <title>{`${point.x}: ${point.y.toLocaleString('en')}`}</title>
            </rect>
          ))
        : [
            <path key="area" class="area" d={`${path}L${x(points.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`} />,
            <path key="line" class="line" d={path} />,
          ]}
      {points.map((point, i) =>
        i % every === 0 ? (
          <text key={i} x={x(i)} y={HEIGHT - 8} text-anchor="middle">
            {point.x.replace(/-01-01$/, '').slice(0, 10)}
          </text>
        ) : null,
      )}
    </svg>
  )
}

function BarChart({ title, bars }: Distribution): VNode {
  const shown = bars.toSorted((a, b) => b.value - a.value).slice(0, MOST_BARS)
  const most = Math.max(1e-9, ...shown.map(bar => bar.value))
  const row = 24
  const names = 200
  const width = (value: number): number => (Math.max(0, value) / most) * (WIDTH - names - 64)
  return (
    <>
      <svg
        viewBox={`0 0 ${WIDTH} ${shown.length * row}`}
        role="img"
        aria-label={`${title}: ${bars.length} values, at most ${short(most)}`}
      >
        {shown.map((bar, i) => (
          <g key={i}>
            <text class="label" x={names - 12} y={i * row + 16} text-anchor="end">
              {cut(bar.name, 32)}
            </text>
            <rect class="bar" x={names} y={i * row + 4} height={16} width={Math.max(1, width(bar.value))} rx={3}>
              <title>{`${bar.name}: ${bar.value.toLocaleString('en')}`}</title>
            </rect>
            <text x={names + width(bar.value) + 8} y={i * row + 16}>
              {bar.value.toLocaleString('en', { maximumFractionDigits: 2 })}
            </text>
          </g>
        ))}
      </svg>
      {bars.length > shown.length && (
        <p class="muted small">
          The {shown.length} largest of {bars.length}
        </p>
      )}
    </>
  )
}

/** The end of a path says more than its beginning. */
const cut = (name: string, longest: number): string =>
  name.length > longest ? `…${name.slice(1 - longest)}` : name.replace(/^\.\//, '')

function ScatterChart({ title, x: across, y: up, points }: Scatter): VNode {
  const mostX = Math.max(1e-9, ...points.map(point => point.x)) * 1.1
  const mostY = Math.max(1e-9, ...points.map(point => point.y)) * 1.1
  const largest = Math.max(1e-9, ...points.map(point => point.size))
  const height = 320
  const y = (value: number): number => height - 44 - (value / mostY) * (height - 44 - TOP)
  const x = (value: number): number => LEFT + (value / mostX) * (WIDTH - LEFT - 8)
  const worst = points.toSorted((a, b) => b.x * b.y - a.x * a.y)
  const spots = worst.map(point => ({ name: cut(point.name, 36), x: x(point.x), y: y(point.y) }))
  const labels = placeLabels(spots, WIDTH, MOST_NAMES)
  const label = `${title}: ${points.length} files; the worst is ${worst[0]?.name}`
  return (
    <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={label}>
      <Grid most={mostY} y={y} />
      {ticks(mostX, 6).map(value => (
        <text key={value} x={x(value)} y={height - 28} text-anchor="middle">
          {short(value)}
        </text>
      ))}
      <text x={WIDTH} y={height - 8} text-anchor="end">{`${across} →`}</text>
      <text x={LEFT + 8} y={TOP + 4}>{`↑ ${up}`}</text>
      {worst.map((point, i) => (
        <circle
          key={i}
          class="point"
          cx={x(point.x)}
          cy={y(point.y)}
          r={4 + 8 * Math.sqrt(Math.max(0, point.size) / largest)}
        >
          <title>{`${point.name}: ${across} ${point.x}, ${up} ${point.y}`}</title>
        </circle>
      ))}
      {[...labels].map(([i, { anchor, ...place }]) => (
        <text key={i} class="label" {...place} text-anchor={anchor}>
          {spots[i]?.name}
        </text>
      ))}
    </svg>
  )
}
