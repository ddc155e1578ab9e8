const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const SIZES: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** `500ms`, `30s`, `2m` or `1h` in milliseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h)$/i.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (TIMES[unit.toLowerCase()] ?? 1)
}

/** `65536`, `512kb`, `10mb` or `1gb` in bytes; undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = 'b'] = /^(\d{1,15}(?:\.\d{1,15})?)\s*(b|kb|mb|gb)?$/i.exec(text) ?? []
  return number === undefined ? undefined : Math.floor(Number(number) * (SIZES[unit.toLowerCase()] ?? 1))
}
