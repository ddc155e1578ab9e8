import { isObject } from '../jsonrpc/message.ts'

/** The two lines around what others wrote. */
export class Fence {
  readonly open: string
  readonly close: string
  readonly #marker: string

  constructor(marker: string) {
    this.#marker = marker
    this.open = `<<data ${marker}>>\n`
    this.close = `\n<<end ${marker}>>`
  }

  around(words: string): string {
    return `${this.open}${this.without(words)}${this.close}`
  }

  /** The same without the marker, which can only have got there from an earlier result. */
  without<T>(value: T): T {
    if (typeof value === 'string')
      return (value.includes(this.#marker) ? value.replaceAll(this.#marker, '…') : value) as T
    if (Array.isArray(value)) return value.map(item => this.without<unknown>(item)) as T
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.without(key), this.without(item)])) as T
  }
}

const DEEPEST = 100

/** Every text with a blank in it; what has none is a name or a number to programs. */
export function fencedValues(value: unknown, fence: Fence, depth = 0): unknown {
  if (typeof value === 'string') return /\s/.test(value) ? fence.around(value) : fence.without(value)
  if (depth > DEEPEST) return '…'
  if (Array.isArray(value)) return value.map(item => fencedValues(item, fence, depth + 1))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fence.without(key), fencedValues(item, fence, depth + 1)]),
  )
}
