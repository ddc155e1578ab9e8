/** How many characters of JSON a value takes, about; once it is more than `most`, nothing more is counted. */
export function jsonSize(value: unknown, most: number): number {
  const waiting: unknown[] = [value]
  let size = 0
  while (waiting.length > 0 && size <= most) {
    const next = waiting.pop()
    if (typeof next === 'string') size += next.length + 3
    else if (typeof next !== 'object' || next === null) size += 6
    else if (Array.isArray(next)) {
      size += 2
      for (const item of next) waiting.push(item)
    } else {
      size += 2
      for (const [key, member] of Object.entries(next)) {
        size += key.length + 3
        waiting.push(member)
      }
    }
  }
  return size
}
