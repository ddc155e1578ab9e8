/** How long a bucket may be. */
export const BUCKETS = ['day', 'week', 'month', 'year'] as const

/** One of the lengths. */
export type Bucket = (typeof BUCKETS)[number]

const DAY_MS = 86_400_000

/** The first day of the bucket a date lies in; weeks begin on Monday. */
export function startOf(date: string, bucket: Bucket): string {
  if (bucket === 'year') return `${date.slice(0, 4)}-01-01`
  if (bucket === 'month') return `${date.slice(0, 7)}-01`
  if (bucket === 'day') return date
  const at = Date.parse(date)
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7
  return iso(at - sinceMonday * DAY_MS)
}

const iso = (at: number): string => new Date(at).toISOString().slice(0, 10)

function after(start: string, bucket: Bucket): string {
  const date = new Date(start)
  if (bucket === 'year') date.setUTCFullYear(date.getUTCFullYear() + 1)
  else if (bucket === 'month') date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCDate(date.getUTCDate() + (bucket === 'week' ? 7 : 1))
  return iso(date.getTime())
}

/** The first days of all buckets from one date to another, but no more than `most`. */
export function bucketsBetween(from: string, to: string, bucket: Bucket, most: number): string[] {
  const starts: string[] = []
  for (let start = startOf(from, bucket); start <= to && starts.length < most; start = after(start, bucket)) {
    starts.push(start)
  }
  return starts
}
