/** One change to a source: a stretch of it and the text that stands there instead, filled up with spaces. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text?: string
}

/** Make changes that keep the length and every end of line; of two that overlap the first counts. */
export function apply(source: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text = '' } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end <= start) continue
    const old = source.slice(start, end)
    parts.push(source.slice(at, start), text, old.slice(text.length).replace(/[^\n]/g, ' '))
    at = end
  }
  parts.push(source.slice(at))
  return parts.join('')
}
