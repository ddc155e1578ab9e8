import { nearest } from '@causeway/engine'
import type { Filter } from '../plan/observation.ts'

/** What observations are named by. */
export const NAME_KINDS = ['team', 'target', 'spass_type'] as const

/** One of these. */
export type NameKind = (typeof NAME_KINDS)[number]

/** Case, spaces, hyphens and brackets make no difference. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[ \-_()'’.]/g, '')
const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Other names of instruments and targets than those in the plan. */
const ALIASES: Readonly<Record<NameKind, Readonly<Record<string, readonly string[]>>>> = {
  team: {
    ISS: ['imaging', 'imaging science', 'imaging science subsystem', 'camera', 'cameras', 'NAC', 'WAC'],
    VIMS: ['visible and infrared mapping spectrometer', 'visual and infrared mapping spectrometer', 'mapping'],
    CIRS: ['composite infrared spectrometer', 'infrared', 'infrared spectrometer'],
    UVIS: ['ultraviolet imaging spectrograph', 'ultraviolet', 'ultraviolet spectrograph'],
    CAPS: ['Cassini plasma spectrometer', 'plasma spectrometer', 'plasma'],
    CDA: ['cosmic dust analyzer', 'cosmic dust analyser', 'dust analyzer', 'dust analyser', 'dust'],
    INMS: ['ion and neutral mass spectrometer', 'mass spectrometer'],
    MAG: ['magnetometer', 'dual technique magnetometer', 'magnetic field'],
    MIMI: ['magnetospheric imaging instrument', 'magnetospheric imaging'],
    RPWS: ['radio and plasma wave science', 'plasma waves', 'radio waves'],
    RADAR: ['Cassini radar', 'Titan radar mapper'],
    RSS: ['radio science subsystem', 'radio science'],
    MP: ['mission planning'],
    PROBE: ['Huygens', 'Huygens probe'],
  },
  target: {
    'rings(general)': ['ring', 'rings', 'Saturn’s rings', 'the rings'],
    ...Object.fromEntries(Array.from('ABCDEFG', ring => [`Ring${ring}`, [`${ring} ring`]])),
    'DustRAM direction': ['dust ram'],
    'SpacecraftRAM direction': ['spacecraft ram'],
    InstrumentCalibration: ['calibration'],
    SpacecraftActivity: ['spacecraft'],
    Skeletonrequest: ['skeleton'],
    Star: ['stars'],
    Sun: ['the Sun', 'solar'],
  },
  spass_type: { 'SPASS Note': ['note'], 'SPASS Rider': ['rider'] },
}

const MEANT: Readonly<Record<NameKind, ReadonlyMap<string, string>>> = {
  team: meanings('team'),
  target: meanings('target'),
  spass_type: meanings('spass_type'),
}

function meanings(kind: NameKind): ReadonlyMap<string, string> {
  return new Map(Object.entries(ALIASES[kind]).flatMap(([name, others]) => others.map(other => [plain(other), name])))
}

/** The name of the plan that is meant, whatever its case, or by an alias; undefined if there is none, or more than one. */
export function resolveName(kind: NameKind, written: string, known: readonly string[]): string | undefined {
  if (known.includes(written)) return written
  const word = plain(written)
  const same = word === '' ? [] : known.filter(name => plain(name) === word)
  if (same.length > 0) return same.length === 1 ? same[0] : undefined
  const meant = MEANT[kind].get(word)
  return meant !== undefined && known.includes(meant) ? meant : undefined
}

/** Which names of a filter were read otherwise than they were written. */
export const renamedIn = (written: Filter, read: Filter): string[] =>
  NAME_KINDS.filter(kind => plain(written[kind] ?? '') !== plain(read[kind] ?? '')).map(
    kind => `${kind} '${shorten(written[kind] ?? '')}' was read as '${read[kind]}'`,
  )

/** A text of the caller's, cut to what an answer repeats. */
export const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Names that begin as the written one does, are spelled nearly so, or have it somewhere in them. */
export function closest(written: string, known: readonly string[]): string[] {
  const word = letters(written)
  const same = known.filter(name => letters(name) === word)
  if (same.length > 0) return same
  const akin = (is: (name: string) => boolean): string[] =>
    word.length < 3 ? [] : known.filter(name => is(letters(name)))
  const begun = akin(name => name.startsWith(word))
  const within = akin(name => name !== '' && (name.includes(word) || word.includes(name)))
  return [...new Set([...begun, ...nearest(written, known), ...within])].slice(0, 3)
}
