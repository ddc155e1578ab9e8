/** The columns of the plan, in the order of its header. */
export const COLUMNS = [
  'start_time_utc',
  'duration',
  'date',
  'team',
  'spass_type',
  'target',
  'request_name',
  'library_definition',
  'title',
  'description',
] as const

/** One of the plan's columns. */
export type Column = (typeof COLUMNS)[number]

/** A row of the plan, its fields in the order of `COLUMNS`. */
export type Fields = readonly string[]

/** What lists show of an observation. */
export const SHOWN = [
  'id',
  'start_time_utc',
  'duration',
  'date',
  'team',
  'spass_type',
  'target',
  'request_name',
  'title',
] as const

/** An observation as lists show it. */
export type Shown = { readonly id: number } & Readonly<Record<Exclude<(typeof SHOWN)[number], 'id'>, string>>

/** An observation with all its fields. */
export type Observation = Shown & { readonly library_definition: string; readonly description: string }

/** Which observations are meant; both ends of the time range are included. */
export interface Filter {
  readonly team?: string | undefined
  readonly target?: string | undefined
  readonly spass_type?: string | undefined
  /** The earliest start, as a moment. */
  readonly from?: string | undefined
  /** The latest start, as a moment. */
  readonly to?: string | undefined
}
