import { expect, test } from 'vitest'
import {
  durationSeconds,
  readMoment,
  toDate,
  toDuration,
  toHours,
  toMoment,
  toPlanDate,
  toSeconds,
} from '../../src/cassini/plan/time.ts'

const moment = (text: string): string | undefined => {
  const read = readMoment(text)
  return 'moment' in read ? read.moment : undefined
}
const wrong = (text: string): string => {
  const read = readMoment(text)
  return 'wrong' in read ? read.wrong : ''
}

test('day of year and calendar say the same', () => {
  expect(moment('2005-068T14:00:05')).toBe('2005-068T14:00:05')
  expect(moment('2005-03-09T14:00:05')).toBe('2005-068T14:00:05')
  expect(moment('2004-12-31')).toBe(moment('2004-366'))
  expect(moment('2004-02-29')).toBe('2004-060T00:00:00')
  expect(moment('2004-03-01')).toBe('2004-061T00:00:00')
  expect(moment('2005-03-01')).toBe('2005-060T00:00:00')
})

test('a date alone is its first second', () => {
  expect(moment('2017-258')).toBe('2017-258T00:00:00')
  expect(moment('2017-09-15')).toBe('2017-258T00:00:00')
})

test('a date alone as an end is its last second', () => {
  for (const text of ['2017-258', '2017-09-15']) {
    expect(readMoment(text, 'end')).toEqual({ moment: '2017-258T23:59:59' })
  }
  expect(readMoment('2017-258T08:00', 'end')).toEqual({ moment: '2017-258T08:00:00' })
})

test('durations are seconds and hours', () => {
  expect(durationSeconds('025T20:57:59')).toBe(25 * 86_400 + 20 * 3600 + 57 * 60 + 59)
  expect(durationSeconds('')).toBe(0)
  expect(toHours(durationSeconds('000T09:22:00'))).toBe(9.37)
})

test('common ways to write a time are understood', () => {
  for (const text of ['2005-03-09T14:00', '2005-03-09 14:00:00', '2005-068t14:00:00z', ' 2005-03-09T14:00:00+00:00 ']) {
    expect(moment(text)).toBe('2005-068T14:00:00')
  }
  expect(moment('2005-068T14:00:00.250Z')).toBe('2005-068T14:00:00.250')
})

test('impossible days and times are refused with what is possible', () => {
  expect(wrong('2005-366')).toBe('names day 366, but 2005 has the days 001 to 365')
  expect(wrong('2004-367')).toBe('names day 367, but 2004 has the days 001 to 366')
  expect(wrong('2005-000')).toContain('names day 000')
  expect(wrong('2005-02-29')).toBe('names day 29, but February 2005 has the days 01 to 28')
  expect(wrong('2100-02-29')).toContain('February 2100')
  expect(moment('2000-02-29')).toBe('2000-060T00:00:00')
  expect(wrong('2005-13-01')).toContain('the months 01 to 12')
  expect(wrong('2005-04-31')).toContain('01 to 30')
  expect(wrong('2005-068T24:00:00')).toContain('23:59:59')
  expect(wrong('2005-068T23:60:00')).toContain('23:59:59')
})

test('what is no time at all is told how to be one', () => {
  for (const text of [
    '',
    'yesterday',
    '2005',
    '2005-3-9',
    '05-068',
    '2005-068T14',
    '2005-068T14:00:00+02:00',
    '2005-0680',
  ]) {
    expect(wrong(text)).toContain('2005-068T14:00:00')
  }
})

test('every day of the mission goes to seconds and back', () => {
  for (let day = toSeconds('2004-001T00:00:00'); day <= toSeconds('2018-001T00:00:00'); day += 86_400) {
    const date = new Date(Date.UTC(2000, 0, 1) + day * 1000).toISOString().slice(0, 10)
    const at = toMoment(day + 3661)
    expect(at.slice(8)).toBe('T01:01:01')
    expect(toDate(at)).toBe(date)
    expect(moment(date)).toBe(toMoment(day))
    expect(toSeconds(at)).toBe(day + 3661)
  }
})

test('the plan has its own ways to write dates and durations', () => {
  expect(toPlanDate('2004-135T18:40:00')).toBe('14-May-04')
  expect(toPlanDate('2005-068T00:00:00')).toBe('9-Mar-05')
  expect(toDuration(9 * 3600 + 22 * 60)).toBe('000T09:22:00')
  expect(toDuration(25 * 86_400 + 20 * 3600 + 57 * 60 + 59)).toBe('025T20:57:59')
})
