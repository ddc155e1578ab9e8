import type { VNode } from 'preact'
import { Mark } from './plot.tsx'
import { short, ticks } from './values.ts'

/** One bar: upwards, and downwards where there is a second value. */
export interface Bar {
  readonly name: string
  readonly label: string
  readonly up: number
  readonly down?: number
  readonly tone?: string
}

interface BarsProps {
  readonly bars: readonly Bar[]
  readonly width: number
  readonly height: number
  /** The words under the axis. */
  readonly unit: string
  /** The values are logarithms of counts, of one more. */
  readonly isLog?: boolean
  onFocus(index: number): void
  onChoose?(index: number): void
}

const [LEFT, RIGHT, TOP, BOTTOM] = [48, 12, 10, 38]

/** Bars along an axis, with a name under some of them. */
export function Bars({ bars, width, height, unit, isLog = false, onFocus, onChoose }: BarsProps): VNode {
  const up = Math.max(...bars.map(bar => bar.up), 1)
  const down = Math.max(...bars.map(bar => bar.down ?? 0), 0)
  const room = height - TOP - BOTTOM
  const y = (value: number): number => TOP + ((up - value) / (up + down)) * room
  const step = (width - LEFT - RIGHT) / Math.max(1, bars.length)
  const every = Math.max(1, Math.ceil(64 / step))
  return (
    <>
      <Axis up={up} isLog={isLog} width={width} y={y} />
      {bars.map(({ name, label, up: value, down: below = 0, tone = 'var(--accent)' }, i) => (
        <Mark
          key={i}
          label={label}
          isFirst={i === 0}
          onFocus={() => onFocus(i)}
          {...(onChoose && { onChoose: () => onChoose(i) })}
        >
          <rect x={LEFT + i * step} y={TOP} width={step} height={room} fill="transparent" />
          <rect
            x={LEFT + i * step + 0.5}
            y={y(value)}
            width={Math.max(1, step - 1)}
            height={y(0) - y(value)}
            fill={tone}
            rx="1"
          />
          {below > 0 && (
            <rect
              x={LEFT + i * step + 0.5}
              y={y(0)}
              width={Math.max(1, step - 1)}
              height={y(-below) - y(0)}
              fill="var(--bad)"
              rx="1"
            />
          )}
          {i % every === 0 && (
            <text class="muted" x={LEFT + (i + 0.5) * step} y={height - BOTTOM + 16} text-anchor="middle">
              {name}
            </text>
          )}
        </Mark>
      ))}
      <text class="muted" x={width / 2} y={height - 4} text-anchor="middle">
        {unit}
      </text>
    </>
  )
}

interface AxisProps {
  readonly up: number
  readonly isLog: boolean
  readonly width: number
  readonly y: (value: number) => number
}

const Axis = ({ up, isLog, width, y }: AxisProps): VNode => (
  <>
    {(isLog ? decades(up) : ticks(up, 4)).map(one => (
      <g key={one}>
        <line class="axis" x1={LEFT} x2={width - RIGHT} y1={y(one)} y2={y(one)} />
        <text class="muted" x={LEFT - 6} y={y(one) + 4} text-anchor="end">
          {short(isLog ? Math.round(10 ** one - 1) : one)}
        </text>
      </g>
    ))}
  </>
)

const decades = (most: number): readonly number[] =>
  [0, 1, 10, 100, 1000, 10_000, 100_000].map(count => Math.log10(count + 1)).filter(one => one <= most)
