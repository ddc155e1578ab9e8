import type { JsonSchema } from '@causeway/engine'
import { SORTS } from './database/queries.ts'
import type { End } from './plan/time.ts'

type Properties = Readonly<Record<string, JsonSchema>>

const object = (properties: Properties, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

/** The arguments of a tool: nothing else is taken. */
export const takes = (properties: Properties, ...required: readonly string[]): JsonSchema => ({
  ...object(properties, required),
  additionalProperties: false,
})

const LARGEST = Number.MAX_SAFE_INTEGER

/** Which part of a list is wanted. */
export const PART: Properties = {
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'How many to return' },
  offset: { type: 'integer', minimum: 0, maximum: LARGEST, default: 0, description: 'How many to skip first' },
}

/** The order of a list. */
export const SORT: Properties = {
  sort_by: { type: 'string', enum: SORTS, description: 'Sort by this column instead of the usual order' },
  order: { type: 'string', enum: ['asc', 'desc'], description: 'Ascending or descending; alone it sorts by start' },
}

/** A moment, in words that say how to write it. */
export const time = (words: string, end: End): JsonSchema => {
  const forms = 'UTC, as 2005-068 (day of year) or 2005-03-09, also with T14:00:00'
  const alone = end === 'start' ? '00:00:00' : 'the whole day'
  return { type: 'string', minLength: 1, description: `${words}: ${forms}; a date alone means ${alone}` }
}

/** Arguments that narrow down which observations are meant. */
export const FILTER: Properties = {
  team: { type: 'string', minLength: 1, description: 'Only this team, such as ISS or imaging; see list_teams' },
  target: { type: 'string', minLength: 1, description: 'Only this target, such as Enceladus; see list_targets' },
  from: time('Earliest start, included', 'start'),
  to: time('Latest start, included', 'end'),
  spass_type: {
    type: 'string',
    description: 'Only this SPASS type: Prime, Non-SPASS, SPASS Note, SPASS Rider, or empty',
  },
}

/** The number of an observation. */
export const ID: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: LARGEST,
  description: 'Number of the observation, as lists give it',
}

const text: JsonSchema = { type: 'string' }
const whole = (description?: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...(description && { description }),
})
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

const SHOWN: Properties = {
  id: whole(),
  start_time_utc: { type: 'string', description: 'YYYY-DDDTHH:MM:SS' },
  duration: { type: 'string', description: 'DDDTHH:MM:SS' },
  date: text,
  team: text,
  spass_type: text,
  target: text,
  request_name: text,
  title: text,
}

const hours = (description: string): JsonSchema => ({ type: 'number', minimum: 0, description })

/** What every answer says first. */
const MARKS: Properties = {
  synthetic: { type: 'boolean', description: 'True: generated data, not the real mission plan' },
  source: { type: 'string', description: 'Where the data is from, and what it covers' },
}

/** What an answer may say in addition to its data. */
const REMARKS: Properties = {
  message: { type: 'string', description: 'How a name was read, or why there is nothing' },
  suggestions: { type: 'array', items: text, description: 'The nearest names there are' },
}

const answer = (members: Properties, required: readonly string[]): JsonSchema =>
  object({ ...MARKS, ...members, ...REMARKS }, [...Object.keys(MARKS), ...required])

/** Part of a list of observations, and what it was asked by. */
export const listing = (asked: Properties, ...required: readonly string[]): JsonSchema =>
  answer(
    {
      count: whole('How many are in this answer'),
      total: whole('How many there are in all'),
      total_hours: hours('Durations of all of them, in hours'),
      offset: whole(),
      limit: whole(),
      next: whole('The offset to go on with, if there are more'),
      ...asked,
      observations: list(object(SHOWN, Object.keys(SHOWN))),
    },
    ['count', 'total', 'total_hours', 'offset', 'limit', ...required, 'observations'],
  )

/** One observation, or word that there is none. */
export const DETAILS: JsonSchema = answer(
  {
    ...SHOWN,
    library_definition: text,
    description: text,
    found: { type: 'boolean', description: 'False: there is no observation with this number' },
  },
  ['id'],
)

/** The names of one kind, with how often they occur, how long and when. */
export const nameList = (key: string): JsonSchema => {
  const name = { name: text, count: whole(), hours: hours('Durations added up'), first: text, last: text }
  return answer(
    {
      count: whole('How many names there are'),
      total: whole('Observations in all'),
      total_hours: hours('Durations of all of them, in hours'),
      [key]: list(object(name, Object.keys(name))),
    },
    ['count', 'total', 'total_hours', key],
  )
}

/** Counts by group or along time: `key` holds them, `label` names each. */
export const tally = (asked: string, key: string, label: string): JsonSchema =>
  answer(
    {
      [asked]: text,
      count: whole(`How many ${key} there are`),
      total: whole(`Observations in all ${key}`),
      total_hours: hours('Durations of all of them, in hours'),
      [key]: list(
        object({ [label]: text, count: whole(), hours: hours('Durations added up') }, [label, 'count', 'hours']),
      ),
    },
    [asked, 'count', 'total', 'total_hours', key],
  )
