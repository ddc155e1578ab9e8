/** What the server held at one moment. */
export interface Sample {
  readonly rssMb: number
  readonly heapMb: number
  readonly files: number
  readonly sessions: number
  readonly streams: number
  readonly sockets: number
  readonly children: number
  /** The open files by what they are. */
  readonly kindsOfFiles?: Readonly<Record<string, number>>
}

const BARS = '▁▂▃▄▅▆▇█'
const WIDTH = 60

/** One line per quantity: at the start, its course, at the end, and the most there ever was. */
export function curve(samples: readonly Sample[]): string {
  const keys = ['heapMb', 'rssMb', 'files', 'sessions', 'streams', 'sockets', 'children'] as const
  return keys
    .map(key => {
      const values = samples.map(sample => sample[key])
      const most = Math.max(...values)
      const course = thinned(values).map(value => BARS[most === 0 ? 0 : Math.round((value / most) * 7)] ?? '')
      const [first = 0, last = 0] = [values[0], values.at(-1)]
      return `${key.padEnd(9)} ${round(first)} ${course.join('')} ${round(last)}  most ${round(most)}`
    })
    .join('\n')
}

const round = (value: number): string => value.toFixed(0).padStart(5)

function thinned(values: readonly number[]): number[] {
  if (values.length <= WIDTH) return [...values]
  return Array.from({ length: WIDTH }, (_, i) => values[Math.round((i / (WIDTH - 1)) * (values.length - 1))] ?? 0)
}
