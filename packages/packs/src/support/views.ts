import { readFile } from 'node:fs/promises'
import { view } from '@causeway/engine'
import type { AppView, Feature } from '@causeway/engine'

// scripts/build-views.js puts them beside the build.
const FOLDER = new URL(import.meta.url.endsWith('.ts') ? '../../dist/views/' : './views/', import.meta.url)

/** The name of one of our views. */
export type ViewName =
  | 'hotspots'
  | 'complexity'
  | 'churn'
  | 'dependencies'
  | 'git-log'
  | 'diff'
  | 'search'
  | 'build'
  | 'cassini'

/** Their titles, and what they are for. */
const VIEWS: Readonly<Record<ViewName, readonly [title: string, description: string]>> = {
  hotspots: ['Hotspots', 'Files by how often they change and how complex they are, as a scatter plot and a treemap'],
  complexity: ['Complexity', 'How complex functions are, and the worst of them'],
  churn: ['Churn', 'How much a project changed over time, and which of its files'],
  dependencies: ['Dependencies', 'Which files or directories import which, with cycles'],
  'git-log': ['Git log', 'Commits with their branches and merges, and what each changed'],
  diff: ['Diff', 'Changes file by file, for a review'],
  search: ['Search results', 'Matches by file'],
  build: ['Build and tests', 'What failed in a build or a test run, and where'],
  cassini: ['Cassini plan', 'Observations along time and by target'],
}

const pages = new Map<string, Promise<string>>()

/** One of our views, whose page is read when it is first shown. */
export function packView(name: ViewName): AppView {
  const [title, description] = VIEWS[name]
  const uri = `ui://causeway/${name}.html`
  return view({ uri, name: `view-${name}`, title, description, prefersBorder: true }, () => pageOf(name))
}

/** Tools with the views that hosts show beside their results, and these views. */
export function withViews(features: readonly Feature[], views: Readonly<Record<string, ViewName>>): Feature[] {
  const used = new Map<ViewName, AppView>()
  const shown = features.map(feature => {
    const name = feature.kind === 'tool' && Object.hasOwn(views, feature.name) ? views[feature.name] : undefined
    if (name === undefined) return feature
    const its = used.get(name) ?? packView(name)
    used.set(name, its)
    return { ...feature, view: its }
  })
  return [...shown, ...used.values()]
}

function pageOf(name: ViewName): Promise<string> {
  const known = pages.get(name) ?? readFile(new URL(`${name}.html`, FOLDER), 'utf8')
  pages.set(name, known)
  known.catch(() => pages.delete(name))
  return known
}
