/** A moment in UTC as the plan writes it, `YYYY-DDDTHH:MM:SS`, or why the text is none. */
export type Moment = { readonly moment: string } | { readonly wrong: string }

const FORM = /^(\d{4})-(?:(\d{3})|(\d{2})-(\d{2}))(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?(?:Z|[+-]00:?00)?)?$/i
const EXAMPLES = '2005-068, 2005-068T14:00:00, 2005-03-09 or 2005-03-09T14:00:00'
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0))
const daysBefore = (year: number, month: number): number =>
  Array.from({ length: month - 1 }, (_, i) => daysIn(year, i + 1)).reduce((sum, days) => sum + days, 0)
const WHOLE_DAY: Readonly<Record<End, readonly string[]>> = { start: ['00', '00', '00'], end: ['23', '59', '59'] }
const pad = (value: number | string, width: number): string => String(value).padStart(width, '0')

/** Which end of a range a moment is. */
export type End = 'start' | 'end'

/** Read a date or a time, by day of year or by calendar; a date alone means its first second, as an end its last. */
export function readMoment(text: string, end: End = 'start'): Moment {
  const found = FORM.exec(text.trim())
  if (!found) return { wrong: `must be a date or time in UTC such as ${EXAMPLES}` }
  const [, year = '', ordinal, month, day, ...given] = found
  const clock = given[0] === undefined ? WHOLE_DAY[end] : given
  const wrong =
    (ordinal === undefined ? wrongDate(+year, Number(month), Number(day)) : wrongOrdinal(+year, +ordinal)) ??
    wrongClock(clock)
  if (wrong !== undefined) return { wrong }
  const days = ordinal ?? pad(daysBefore(+year, Number(month)) + Number(day), 3)
  return { moment: `${year}-${days}T${written(clock)}` }
}

const written = ([hour, minute, second = '00', fraction = '']: readonly (string | undefined)[]): string =>
  `${hour}:${minute}:${second}${fraction}`

function wrongOrdinal(year: number, day: number): string | undefined {
  const last = isLeap(year) ? 366 : 365
  return day >= 1 && day <= last ? undefined : `names day ${pad(day, 3)}, but ${year} has the days 001 to ${last}`
}

function wrongDate(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return `names month ${pad(month, 2)}, but a year has the months 01 to 12`
  const last = daysIn(year, month)
  if (day >= 1 && day <= last) return undefined
  return `names day ${pad(day, 2)}, but ${MONTHS[month - 1]} ${year} has the days 01 to ${last}`
}

function wrongClock(clock: readonly (string | undefined)[]): string | undefined {
  const [hour = 0, minute = 0, second = 0] = clock.map(part => Number(part ?? 0))
  return hour < 24 && minute < 60 && second < 60 ? undefined : 'names a time of day beyond 23:59:59'
}

/** The calendar date of a moment or a day of year: `2005-068…` → `2005-03-09`. */
export function toDate(moment: string): string {
  const year = Number(moment.slice(0, 4))
  let day = Number(moment.slice(5, 8))
  let month = 1
  while (day > daysIn(year, month) && month < 12) day -= daysIn(year, month++)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

const EPOCH = Date.UTC(2000, 0, 1)
const DAY = 86_400

/** Seconds since 2000 → a moment. */
export const toMoment = (seconds: number): string => `${ordinal(Math.floor(seconds / DAY))}T${toClock(seconds % DAY)}`

const ordinal = kept((days: number): string => {
  const at = EPOCH + days * DAY * 1000
  const year = new Date(at).getUTCFullYear()
  return `${year}-${pad((at - Date.UTC(year, 0, 1)) / DAY / 1000 + 1, 3)}`
})

const toClock = (seconds: number): string =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** A moment → seconds since 2000. */
export function toSeconds(moment: string): number {
  const midnight = Date.UTC(Number(moment.slice(0, 4)), 0, Number(moment.slice(5, 8)))
  const [hour = 0, minute = 0, second = 0] = moment.slice(9, 17).split(':').map(Number)
  return (midnight - EPOCH) / 1000 + hour * 3600 + minute * 60 + second
}

/** As the plan's `date` column has it: `2005-068…` → `9-Mar-05`. */
export const toPlanDate = (moment: string): string => planDate(moment.slice(0, 8))

const planDate = kept((day: string): string => {
  const [year = '', month, date] = toDate(day).split('-')
  return `${Number(date)}-${(MONTHS[Number(month) - 1] ?? '').slice(0, 3)}-${year.slice(2)}`
})

/** As the plan's `duration` column has it: days, then the clock. */
export const toDuration = (seconds: number): string => `${pad(Math.floor(seconds / DAY), 3)}T${toClock(seconds % DAY)}`

/** How many seconds a duration of the plan has; none if it is empty. */
export function durationSeconds(duration: string): number {
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = duration.split(/[T:]/).map(Number)
  return days * DAY + hours * 3600 + minutes * 60 + seconds
}

/** Seconds → hours, to the hundredth. */
export const toHours = (seconds: number): number => Math.round(seconds / 36) / 100

/** A plan has many rows and few days: what was worked out for a day is kept. */
function kept<K>(work: (key: K) => string): (key: K) => string {
  const known = new Map<K, string>()
  return key => {
    const found = known.get(key) ?? work(key)
    known.set(key, found)
    return found
  }
}
