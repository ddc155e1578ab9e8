import { describe, expect, test } from 'vitest'
import { drawingsIn } from '../../src/page/charts/recognise.ts'
import { placeLabels } from '../../src/page/charts/labels.ts'
import { short, ticks } from '../../src/page/charts/scale.ts'

describe('what is drawn', () => {
  test('a timeline is a series, in order', () => {
    const buckets = [
      { start: '2005-01-01', count: 2, hours: 9 },
      { start: '2004-01-01', count: 1, hours: 8 },
    ]
    expect(drawingsIn({ bucket: 'year', buckets })).toEqual([
      {
        kind: 'series',
        title: 'count over time',
        points: [
          { x: '2004-01-01', y: 1 },
          { x: '2005-01-01', y: 2 },
        ],
      },
    ])
  })

  test('targets, teams and folders are distributions', () => {
    const targets = [
      { name: 'Saturn', count: 5, hours: 1, first: '2004-135T18:40:00' },
      { name: 'Titan', count: 3, hours: 2, first: '2004-136T04:35:00' },
    ]
    expect(drawingsIn({ targets })).toMatchObject([{ kind: 'distribution', title: 'count by name' }])
    const directories = [
      { directory: '.', files: 3, lines: 10, cognitive: 7 },
      { directory: 'src', files: 2, lines: 9, cognitive: 6 },
    ]
    expect(drawingsIn({ directories })).toMatchObject([{ title: 'cognitive by directory' }])
  })

  test('churn against complexity is a scatter', () => {
    const hotspots = [
      { rank: 1, file: 'a.ts', score: 2, churn_score: 0.2, complexity: 7 },
      { rank: 2, file: 'b.ts', score: 1, churn_score: 0.1, complexity: 5 },
    ]
    expect(drawingsIn({ hotspots })).toMatchObject([
      { kind: 'scatter', x: 'churn score', y: 'complexity', points: [{ name: 'a.ts', x: 0.2, y: 7, size: 2 }, {}] },
    ])
  })

  test('a git log is commits a day', () => {
    const line = (day: string): string => `e26056c engine: something (Ada, ${day})`
    const text = ['2026-11-15', '2026-11-14', '2026-11-15'].map(line).join('\n')
    expect(drawingsIn(text)).toMatchObject([
      {
        title: 'commits over time',
        points: [
          { x: '2026-11-14', y: 1 },
          { x: '2026-11-15', y: 2 },
        ],
      },
    ])
  })

  test('what has no figures, or only one, is not', () => {
    expect(drawingsIn({ rows: [{ name: 'a' }, { name: 'b' }] })).toEqual([])
    expect(drawingsIn({ rows: [{ name: 'a', count: 1 }] })).toEqual([])
    expect(drawingsIn('plain text')).toEqual([])
    expect(drawingsIn([1, 2])).toEqual([])
    expect(drawingsIn([1, 2, 4])).toMatchObject([{ kind: 'series' }])
  })
})

test('axes have round numbers', () => {
  expect(ticks(9, 4)).toEqual([0, 5])
  expect(ticks(0.9, 4)).toEqual([0, 0.5])
  expect(ticks(0, 4)).toEqual([0])
  expect([short(0.123), short(950), short(61_873), short(2_500_000)]).toEqual(['0.123', '950', '61.9k', '2.5M'])
})

test('names stand where nothing else is, the first ones first', () => {
  const spots = [
    { name: 'a'.repeat(20), x: 500, y: 50 },
    { name: 'b'.repeat(20), x: 480, y: 52 },
    { name: 'c'.repeat(20), x: 700, y: 50 },
  ]
  const labels = placeLabels(spots, 720, 8)
  expect(labels.get(0)).toEqual({ x: 514, y: 54, anchor: 'start' })
  expect(labels.get(1)?.anchor).toBe('end')
  // The first name reaches as far as this spot, and the edge is on its other side.
  expect(labels.get(2)?.anchor).not.toBe('start')
  expect(placeLabels(spots, 720, 1).size).toBe(1)
})
