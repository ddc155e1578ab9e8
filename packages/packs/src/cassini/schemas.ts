import type { JsonSchema } from '@causeway/engine'

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
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'How many to return, 1 to 1000' },
  offset: { type: 'integer', minimum: 0, maximum: LARGEST, default: 0, description: 'How many to skip first' },
}

/** A moment, in words that say how to write it. */
export const time = (words: string): JsonSchema => {
  const forms = 'UTC, by day of year (2005-068, 2005-068T14:00:00) or calendar (2005-03-09, 2005-03-09T14:00:00)'
  return { type: 'string', minLength: 1, description: `${words}: ${forms}; a date alone means 00:00:00` }
}

/** Arguments that narrow down which observations are meant. */
export const FILTER: Properties = {
  team: { type: 'string', minLength: 1, description: 'Only this team, such as ISS; see list_teams' },
  target: { type: 'string', minLength: 1, description: 'Only this target, such as Enceladus; see list_targets' },
  from: time('Earliest start, included'),
  to: time('Latest start, included'),
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

/** What every answer may say besides its data. */
const REMARKS: Properties = {
  message: { type: 'string', description: 'Why there is nothing, when a name or a range is to blame' },
  suggestions: { type: 'array', items: text, description: 'The nearest names there are' },
  synthetic: { type: 'boolean', description: 'True: generated data, not the real mission plan' },
}

/** Part of a list of observations, and what it was asked by. */
export const listing = (asked: Properties): JsonSchema =>
  object(
    {
      count: whole('How many are in this answer'),
      total: whole('How many there are in all'),
      offset: whole(),
      limit: whole(),
      ...asked,
      observations: list(object(SHOWN, Object.keys(SHOWN))),
      ...REMARKS,
    },
    ['count', 'total', 'offset', 'limit', ...Object.keys(asked), 'observations', 'synthetic'],
  )

/** One observation, or word that there is none. */
export const DETAILS: JsonSchema = object(
  {
    ...SHOWN,
    library_definition: text,
    description: text,
    found: { type: 'boolean', description: 'False: there is no observation with this number' },
    ...REMARKS,
  },
  ['id', 'synthetic'],
)

/** The names of one kind, with how often they occur and when. */
export const nameList = (key: string): JsonSchema =>
  object(
    {
      count: whole('How many names there are'),
      total: whole('Observations in all'),
      [key]: list(object({ name: text, count: whole(), first: text, last: text }, ['name', 'count', 'first', 'last'])),
      ...REMARKS,
    },
    ['count', 'total', key, 'synthetic'],
  )

/** Counts by group or along time: `key` holds them, `label` names each. */
export const tally = (asked: string, key: string, label: string): JsonSchema =>
  object(
    {
      [asked]: text,
      count: whole(`How many ${key} there are`),
      total: whole(`Observations in all ${key}`),
      [key]: list(object({ [label]: text, count: whole() }, [label, 'count'])),
      ...REMARKS,
    },
    [asked, 'count', 'total', key, 'synthetic'],
  )
