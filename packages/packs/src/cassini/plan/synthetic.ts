import { FIRST_FLYBY, FLYBYS, MISSION, TARGETS, TEAMS } from './facts.ts'
import type { Fields } from './observation.ts'
import { Random } from './random.ts'
import { toDuration, toMoment, toPlanDate, toSeconds } from './time.ts'
import { INTEREST, MEASURES, SCENES, SUBJECTS, targetKind, labelOf } from './synthetic-vocabulary.ts'

/** What is known of an observation before it is put into words. */
interface Slot {
  readonly team: string
  readonly target: string
  /** Seconds since 2000. */
  readonly at: number
  /** The name of a flyby it belongs to. */
  readonly flyby?: string
}

const SEED = 0x0c455141
const PLACES = 2 ** 17
const MINUTE = 60
const HOUR = 3600
const START = toSeconds(MISSION.start)
const END = toSeconds(MISSION.end)
const FLYBY_SIZES: readonly number[] = [44, Object.values(FIRST_FLYBY).reduce((sum, n) => sum + n, 0)]
const FIELDS_AND_PARTICLES: ReadonlySet<string> = new Set(['CAPS', 'CDA', 'INMS', 'MAG', 'MIMI', 'RPWS'])
const DURATIONS = [10, 15, 20, 30, 45, 60, 90, 120, 150, 180, 240, 360, 480, 720, 1440, 4320].map(minutes =>
  toDuration(minutes * MINUTE),
)

/** Two rows of the real plan, whose words are public; the second's description is ours. */
const FIRST: readonly Fields[] = [
  words('000T09:22:00', 'CAPS', 'Saturn', ['MAPS Survey', 'MAPS magnetospheric survey']),
  words('025T20:57:59', 'CDA', 'DustRAM direction', ['dust exploration - saturn', 'Boresight kept into the dust ram.']),
]

function words(duration: string, team: string, target: string, [title, about]: readonly [string, string]): Fields {
  const date = toPlanDate(MISSION.start)
  const request = ['SURVEY', 'Magnetospheric survey']
  return [MISSION.start, duration, date, team, 'Non-SPASS', target, ...request, title, about]
}

/** Behind so many rows of the real plan everything is made up. */
export const GENERATED_FROM: number = FIRST.length

/** Rows like the plan's in number, shape and totals, always the same, made up: they say nothing about the real mission. */
export function* syntheticRows(): Generator<Fields> {
  const random = new Random(SEED)
  const slots = fill(random)
  // Numbers are sorted ten times as fast as objects: the time, and behind it the place of the slot.
  const keys = new Float64Array(slots.length)
  for (const [i, { at }] of slots.entries()) keys[i] = at * PLACES + i
  yield* FIRST
  for (const key of keys.sort()) yield fields(slots[key % PLACES] as Slot, random)
}

/** Every slot but the first two, so that each team and each target comes out at its exact total. */
function fill(random: Random): Slot[] {
  const teams = new Map(Object.entries(TEAMS))
  const targets = new Map(Object.entries(TARGETS))
  const take = (team: string, target: string): void => {
    teams.set(team, (teams.get(team) ?? 0) - 1)
    targets.set(target, (targets.get(target) ?? 0) - 1)
  }
  for (const [, , , team = '', , target = ''] of FIRST) take(team, target)
  const placed = [...probe(random), ...flybys(random), { team: 'INMS', target: 'Saturn', at: END }]
  for (const { team, target } of placed) take(team, target)
  return [...placed, ...rest(random, teams, targets)]
}

/** Huygens separated on 2004-360 and landed on 2005-014. */
function probe(random: Random): Slot[] {
  const from = toSeconds('2004-360T00:00:00')
  const minutes = (toSeconds('2005-014T12:00:00') - from) / MINUTE
  const slot = (): Slot => ({ team: 'PROBE', target: 'Titan', at: from + random.next(minutes) * MINUTE })
  return Array.from({ length: TEAMS.PROBE ?? 0 }, slot)
}

/** Observations of Enceladus crowd around its flybys. */
function flybys(random: Random): Slot[] {
  const names = Object.keys(FIRST_FLYBY)
  const usual = Array.from(repeated(Object.values(FIRST_FLYBY)), i => names[i] as string)
  return FLYBYS.flatMap((day, i) => {
    const size = FLYBY_SIZES[i] ?? 36 + random.next(16)
    const teams = i === 1 ? usual : ['MAG', ...Array.from({ length: size - 1 }, () => random.pick(usual))]
    const from = toSeconds(`${day}T05:00:00`)
    return teams.map(team => ({
      team,
      target: 'Enceladus',
      at: from + random.next(18 * HOUR),
      flyby: `E-${i}`,
    }))
  })
}

/** What is left, anywhere in the mission; the teams that care for a target get more of it. */
function rest(random: Random, teams: Map<string, number>, targets: Map<string, number>): Slot[] {
  const names = [...teams.keys()]
  const left = [...teams.values()]
  const wanted = [...targets.keys()].map(target => {
    const kind = targetKind(target)
    return { target, by: names.map(team => INTEREST[team]?.[kind] ?? 2) }
  })
  const pool = repeated([...targets.values()])
  random.shuffle(pool)
  return Array.from(pool, i => {
    const { target, by } = wanted[i] as (typeof wanted)[number]
    const chosen = weighted(random, left, by)
    left[chosen] = (left[chosen] as number) - 1
    return { team: names[chosen] as string, target, at: moment(random, target) }
  })
}

/** Between the flybys Enceladus is left to other days, so that the known days keep their known numbers. */
function moment(random: Random, target: string): number {
  const at = START + MINUTE * (1 + random.next((END - START) / MINUTE - 1))
  return target === 'Enceladus' && FLYBYS.includes(toMoment(at).slice(0, 8)) ? moment(random, target) : at
}

/** One of several, the likelier the more is left of it and the more it is wanted. */
function weighted(random: Random, left: readonly number[], wanted: readonly number[]): number {
  const weight = (i: number): number => (left[i] ?? 0) * (wanted[i] ?? 0)
  let sum = 0
  for (let i = 0; i < left.length; i++) sum += weight(i)
  let at = random.next(sum)
  let chosen = 0
  while (at >= weight(chosen)) at -= weight(chosen++)
  return chosen
}

/** Each place of a list as often as the list says. */
function repeated(counts: readonly number[]): Uint8Array {
  const places = new Uint8Array(counts.reduce((sum, count) => sum + count, 0))
  let at = 0
  for (const [place, count] of counts.entries()) places.fill(place, at, (at += count))
  return places
}

interface Said {
  readonly label: string
  readonly scenes: readonly string[]
  readonly measure: readonly [name: string, unit: string, most: number]
}

/** What every row on a target says alike. */
const SAID = new Map<string, Said>(
  Object.keys(TARGETS).map(target => {
    const kind = targetKind(target)
    return [target, { label: labelOf(target), scenes: SCENES[kind], measure: MEASURES[kind] }]
  }),
)

function fields({ team, target, at, flyby }: Slot, random: Random): Fields {
  const [code, subject, library, purpose] = random.pick(SUBJECTS[team] ?? [])
  const start = toMoment(at)
  const isCrossing = flyby !== undefined && team === 'MAG'
  const { label, scenes, measure } = SAID.get(target) as Said
  const scene = flyby === undefined ? random.pick(scenes) : `Targeted flyby ${flyby}, plume in view`
  const [figure, unit, most] = measure
  return [
    start,
    random.pick(DURATIONS),
    toPlanDate(start),
    team,
    spassType(random.next(10), team),
    target,
    `${code}${String(1 + random.next(400)).padStart(3, '0')}`,
    library,
    isCrossing ? 'Enceladus targeted flyby' : `${label} ${subject}`,
    `${purpose}. ${scene}; ${figure} ${1 + random.next(most)} ${unit}.`,
  ]
}

const POINTED = [
  'Prime',
  'Prime',
  'Prime',
  'Prime',
  'SPASS Rider',
  'SPASS Rider',
  'SPASS Rider',
  'SPASS Note',
  'Non-SPASS',
]
const SURVEYING = [...Array.from({ length: 7 }, () => 'Non-SPASS'), 'SPASS Rider', 'Prime']

/** The tenth has none. */
const spassType = (die: number, team: string): string =>
  (FIELDS_AND_PARTICLES.has(team) ? SURVEYING : POINTED)[die] ?? ''
