const LINE_END = /\r\n|\n|\r/
// It comes back in a header.
const LONGEST_ID = 4096
const LINE_COST = 16

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** The text of an event stream in, events out; knows nothing of what they mean. */
export class EventReader {
  /** The id of the last event that had one, to resume after. */
  lastId: string | undefined
  /** How long the server wants a client to wait before it comes back. */
  retryMs: number | undefined
  readonly #limit: number
  readonly #onEvent: (event: ServerEvent) => void
  #rest = ''
  #event = ''
  #data: string[] = []
  #size = 0
  #afterReturn = false

  /** An event of more than `limit` characters throws. */
  constructor(limit: number, hear: (event: ServerEvent) => void) {
    this.#limit = limit
    this.#onEvent = hear
  }

  feed(fresh: string): void {
    // A return and a newline are one end of line, in one piece or in two.
    if (fresh === '') return
    const text = this.#afterReturn && fresh.startsWith('\n') ? fresh.slice(1) : fresh
    this.#afterReturn = fresh.endsWith('\r')
    const lines = text.split(LINE_END)
    lines[0] = this.#rest + (lines[0] ?? '')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
    if (this.#rest.length + this.#size > this.#limit)
      throw new RangeError(`An event is longer than ${this.#limit} characters`)
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    this.#field(name, value)
  }

  #field(name: string, value: string): void {
    switch (name) {
      case 'data':
        this.#data.push(value)
        // Lines without anything take memory, too.
        this.#size += value.length + LINE_COST
        break
      case 'event':
        this.#event = value
        break
      case 'id':
        if (!value.includes('\0') && value.length <= LONGEST_ID) this.lastId = value
        break
      case 'retry':
        if (/^\d{1,8}$/.test(value)) this.retryMs = Number(value)
        break
      default:
    }
  }

  #dispatch(): void {
    const event = this.#event === '' ? 'message' : this.#event
    const data = this.#data.join('\n')
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    this.#size = 0
    if (!isEmpty) this.#onEvent({ event, data })
  }
}
