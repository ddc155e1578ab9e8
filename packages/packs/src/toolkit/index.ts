import { fileURLToPath } from 'node:url'
import type { Feature, Pack, Tool } from '@causeway/engine'
import type { Edits } from '../support/edits/edits.ts'
import { acceptAliases, nameArguments, withArguments } from '../support/arguments.ts'
import { createJail } from '../support/files/jail.ts'
import { nearestPaths } from '../support/files/nearest-path.ts'
import { createPool } from './analysis/pool.ts'
import { prompts } from './prompts.ts'
import { withViews } from '../support/views.ts'
import type { ViewName } from '../support/views.ts'
import { templateResources, templateUris } from './resources.ts'
import { loadCatalog } from './templating/catalog.ts'
import type { Bench } from './tools/analysis.ts'
import { analyzeCodeChurn } from './tools/churn.ts'
import { analyzeComplexity } from './tools/complexity.ts'
import { analyzeDirectories } from './tools/directories.ts'
import { findHotspots } from './tools/hotspots.ts'
import { getServerInfo } from './tools/info.ts'
import { scaffoldProject } from './tools/scaffold.ts'
import { findDeadExports } from './tools/links/dead-exports.ts'
import { analyzeDependencies } from './tools/links/dependencies.ts'
import { findDuplicateCode } from './tools/duplicates.ts'
import { LanguageServers } from './servers/language-servers.ts'
import type { ServerOptions } from './servers/language-servers.ts'
import { callHierarchy } from './tools/code/call-hierarchy.ts'
import { diagnoseCode } from './tools/code/diagnose.ts'
import { findReferences } from './tools/code/find-references.ts'
import { readSymbol } from './tools/code/read-symbol.ts'
import { renameSymbol } from './tools/code/rename-symbol.ts'
import { insertSymbol, replaceSymbol } from './tools/code/replace-symbol.ts'
import type { WritingBench } from './tools/code/replace-symbol.ts'
import { outline } from './tools/outline.ts'
import { findSymbol } from './tools/symbols.ts'
import { searchTemplates } from './tools/search.ts'
import { viewTools } from './tools/views.ts'
import { generateTemplate, listTemplates, validateTemplate } from './tools/templates.ts'
import { withKeywords } from '../support/keywords.ts'
import { KEYWORDS } from './keywords.ts'

export { KINDS as languageServerKinds } from './servers/kinds.ts'
export type { ServerKind } from './servers/kinds.ts'
export type { ServerOptions } from './servers/language-servers.ts'
export { readTemplates } from './templating/catalog.ts'

/** What may be chosen about the pack. */
export interface ToolkitOptions {
  /** Who the server is, for `get_server_info` and in reports. */
  readonly server?: { readonly name: string; readonly version: string }
  /** The directories that are analysed and written to; relative paths begin at the first. Default: the working directory. */
  readonly roots?: readonly string[]
  /** Files and folders that decide what the operator's server runs: `scaffold_project` does not write them. */
  readonly operatorFiles?: readonly string[] | undefined
  /** What was edited, shared with the workstation pack: with it, tools that change code are served. */
  readonly edits?: Edits | undefined
  /** Take away the way to write files. */
  readonly readOnly?: boolean
  /** Run git in a sandbox (bubblewrap) in which nothing outside the roots exists; without one, churn cannot be read. */
  readonly sandbox?: boolean | undefined
  /** Folders with more templates. */
  readonly templates?: readonly string[]
  /** Use language servers that are installed outside of the roots; default: only parsers. */
  readonly languageServers?: ServerOptions | undefined
  /** Only the seven documented tools. */
  readonly documented?: boolean
  /** The script of the analysis threads; default: the one beside the build. */
  readonly worker?: URL
}

/** Our own templates: beside the source, and copied beside the build. */
export const ownTemplates: string = fileURLToPath(new URL('./templates/', import.meta.url))

/** Tools beyond the documented ones. */
const more = (bench: Bench, info: Tool): Tool[] => [
  findHotspots(bench),
  outline(bench),
  findSymbol(bench),
  readSymbol(bench),
  findReferences(bench),
  callHierarchy(bench),
  ...(bench.servers ? [diagnoseCode({ ...bench, servers: bench.servers })] : []),
  findDuplicateCode(bench),
  findDeadExports(bench),
  analyzeDependencies(bench),
  analyzeDirectories(bench),
  info,
]

/** Tools that change code, in a way that `undo_edit` of the workstation undoes. */
const writing = (bench: WritingBench): Tool[] => [replaceSymbol(bench), insertSymbol(bench), renameSymbol(bench)]

const VIEWS: Readonly<Record<string, ViewName>> = {
  find_hotspots: 'hotspots',
  analyze_complexity: 'complexity',
  analyze_code_churn: 'churn',
  analyze_dependencies: 'dependencies',
}

// The documents call it project_path; everywhere else a path is a path.
const PATH = { path: 'project_path' } as const
const ALIASES = {
  project_path: ['path'],
  projectPath: ['path'],
  file: ['path'],
  directory: ['path'],
  symbol: ['name'],
  newName: ['new_name'],
  dryRun: ['dry_run'],
} as const

const INSTRUCTIONS =
  'generate_template and scaffold_project make Makefiles, READMEs, CI workflows and other project files from templates; ' +
  'analyze_complexity, analyze_code_churn and find_hotspots measure the code below the root.'

function benchOf(
  { worker, sandbox, languageServers }: ToolkitOptions,
  given: Pick<Bench, 'jail' | 'server' | 'documented'>,
): Bench {
  const pool = createPool(worker)
  if (given.documented || !languageServers) return { ...given, pool, sandbox }
  return { ...given, pool, sandbox, servers: new LanguageServers({ jail: given.jail, pool, sandbox }, languageServers) }
}

/** Project templates, and analysis of code that measures what it reports. */
export function toolkit(options: ToolkitOptions = {}): Pack {
  const { server = { name: 'causeway', version: '' }, roots = [process.cwd()], readOnly = false } = options
  const { documented = false, templates: folders = [], edits } = options
  const catalog = loadCatalog(ownTemplates, { folders, documented })
  const jail = createJail(roots, options.operatorFiles)
  const bench = benchOf(options, { jail, server, documented })
  const tools = (): Feature[] => [
    generateTemplate(catalog),
    listTemplates(catalog, documented),
    validateTemplate(catalog),
    scaffoldProject(catalog, { jail, readOnly, documented, edits }),
    searchTemplates(catalog),
    analyzeComplexity(bench),
    analyzeCodeChurn(bench),
    ...(documented ? [] : more(bench, getServerInfo(catalog, server))),
    ...(documented || readOnly || !edits ? [] : writing({ ...bench, edits })),
    ...templateResources(catalog),
    ...prompts,
  ]
  const all = documented ? tools() : [...withViews(withKeywords(tools(), KEYWORDS), VIEWS), ...viewTools(bench)]
  const features = documented
    ? all
    : all.map(one => withArguments(one, PATH, { optional: { path: '.', toolchain: undefined } }))
  return {
    name: 'toolkit',
    ...(!documented && { instructions: INSTRUCTIONS }),
    features,
    use: [
      templateUris,
      ...(documented ? [] : [nameArguments(PATH), acceptAliases(features, ALIASES)]),
      nearestPaths(jail),
    ],
  }
}
