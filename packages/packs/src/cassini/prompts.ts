import { fault, prompt } from '@causeway/engine'
import type { Content, Prompt } from '@causeway/engine'
import { FLYBYS } from './plan/facts.ts'
import { SYNTHETIC_MARK } from './plan/provenance.ts'
import { namesLike } from './resources.ts'
import type { Store } from './database/store.ts'
import { listNames } from './summaries.ts'
import { readMoment, toDate } from './plan/time.ts'

const CAVEAT = `${SYNTHETIC_MARK} Say so at the top, and draw no conclusion about the real mission.`

const words = (text: string): Content => ({ type: 'text', text })
const lines = (...said: readonly (string | undefined)[]): Content =>
  words(said.filter(line => line !== undefined).join('\n'))

/** A summary of the mission, or of one team's or one target's part in it. */
export const missionSummary = (store: Store): Prompt =>
  prompt(
    {
      name: 'mission-summary',
      title: 'Mission summary',
      description: 'Summarise what Cassini did, in all or for one team or target',
      arguments: [
        { name: 'team', description: 'Only this team', complete: (typed: string) => namesLike(store, 'team', typed) },
        {
          name: 'target',
          description: 'Only this target',
          complete: (typed: string) => namesLike(store, 'target', typed),
        },
        {
          name: 'audience',
          description: 'The audience of the summary',
          complete: ['the public', 'scientists', 'pupils'],
        },
      ],
    },
    async ({ team, target, audience = 'the public' }, ctx) => {
      const { value } = await store.ask({ kind: 'about' }, ctx.signal)
      const [teams, targets] = await Promise.all([listNames(store, 'team', ctx), listNames(store, 'target', ctx)])
      const filter = [team && `team "${team}"`, target && `target "${target}"`].filter(Boolean).join(' and ')
      const asked = lines(
        value.synthetic ? CAVEAT : undefined,
        `Summarise the Cassini mission plan for ${audience}${filter === '' ? '' : `, only the observations with ${filter}`}.`,
        `It holds ${value.rows} observations that start between ${value.first} and ${value.last} (year, day of year, UTC).`,
        'The teams and targets with their numbers are attached. Then use:',
        '- get_timeline with bucket "year" to see when most was done;',
        '- get_statistics for the shares by target, team and SPASS type;',
        '- search_observations for what stands out, and get_observation_details for two or three examples to quote.',
        'Give every number with the tool it came from. End with three things worth a closer look.',
      )
      return [asked, teams.content[1], targets.content[1]]
    },
  )

const datesLike = (target: string | undefined, typed: string): string[] =>
  target === undefined || target === 'Enceladus' ? FLYBYS.map(toDate).filter(date => date.startsWith(typed)) : []

/** A report on one flyby. */
export const flybyReport = (store: Store): Prompt =>
  prompt(
    {
      name: 'plan-a-flyby-report',
      title: 'Plan a flyby report',
      description: 'Plan a report on what all teams did during one flyby',
      arguments: [
        {
          name: 'target',
          description: 'The moon that was passed, such as Enceladus',
          required: true,
          complete: (typed: string) => namesLike(store, 'target', typed),
        },
        {
          name: 'date',
          description: 'The day of the flyby, such as 2005-03-09 or 2005-068',
          complete: (typed: string, { target }: Readonly<Record<string, string>>) => datesLike(target, typed),
        },
      ],
    },
    async ({ target, date }, ctx) => {
      const { synthetic } = (await store.ask({ kind: 'about' }, ctx.signal)).value
      const day = date === undefined ? undefined : dayOf(date)
      const when = day === undefined ? 'one flyby' : `the flyby on ${toDate(day)} (day of year ${day.slice(0, 8)})`
      return [
        lines(
          synthetic ? CAVEAT : undefined,
          `Plan a report on ${when} of ${target}, from the Cassini mission plan.`,
          day === undefined
            ? `1. Find the flybys: search_observations with query "flyby" and target "${target}", and get_timeline with bucket "day". Ask me which one I mean.`
            : `1. List what was done: query_observations_by_timerange from ${day} to ${day.slice(0, 9)}23:59:59, page by page until offset + count reaches total; keep the rows on ${target}.`,
          '2. Group them by team and order them by start; say who was prime and who rode along (spass_type).',
          '3. Read the closest ones with get_observation_details and say what each instrument was to find out.',
          '4. Outline the report: the question, the sequence of events, one section per team, what to look up elsewhere.',
          'The plan says what was intended, not what was measured: keep the two apart.',
        ),
      ]
    },
  )

function dayOf(date: string): string {
  const read = readMoment(date)
  if ('wrong' in read) throw fault('invalid-params', `Invalid arguments for prompt: 'date' ${read.wrong}.`)
  return read.moment
}
