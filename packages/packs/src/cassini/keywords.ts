const PLAN = 'cassini saturn mission spacecraft observation'

/** What people call what these tools do. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  query_observations_by_team: `${PLAN} what an instrument team imaging radar vims uvis cirs planned did`,
  query_observations_by_target: `${PLAN} moon titan enceladus iapetus rhea dione rings planet observed images flybys of`,
  query_observations_by_timerange: `${PLAN} what happened on a date day month year between when observed during`,
  get_observation_details: `${PLAN} one observation by its id everything about`,
  search_observations: `${PLAN} images pictures photos of a surface plume ring occultation flyby by words text in titles descriptions`,
  get_statistics: `${PLAN} how many number of total counts per team target year flybys most observed`,
  get_timeline: `${PLAN} chronology sequence of events over time when`,
  list_teams: `${PLAN} which instruments teams were aboard`,
  list_targets: `${PLAN} which moons bodies targets were observed`,
}
