import { relative } from 'node:path'
import { RpcError } from '@causeway/engine'
import type { Call, Feature, Policy } from '@causeway/engine'
import { isObject, redact, visibleJson } from '@causeway/engine/internal'
import type { CallObserver } from '@causeway/engine/policies'
import { complain } from '../terminal/print.ts'
import { placeIn, shown } from './module-problem.ts'
import type { ModuleProblem } from './module-problem.ts'
import type { ModuleChange, ServedModules } from './served-modules.ts'

/** Who writes the modules that are served: sees what happens to them, and every call. */
export interface Developer {
  readonly observer: CallObserver
  readonly changed: (change: ModuleChange) => void
  /** Where the server listens. */
  readonly listening: (url: string, modules: ServedModules) => void
  /** Around every call. */
  readonly policy: (modules: ServedModules) => Policy
}

const LONGEST_ARGUMENTS = 300

/** A developer at a terminal. With a console, `open` shows it. */
export function developerAt(open: (url: string) => void, hasConsole: boolean): Developer {
  let base: string | undefined
  const linkOf = (features: readonly Feature[]): string | undefined => {
    const tool = features.find(({ kind }) => kind === 'tool')
    if (base === undefined || !hasConsole) return undefined
    return tool ? `${base}/#/tools/${encodeURIComponent(tool.name)}` : `${base}/`
  }
  return {
    observer: { onEnd: (call, { outcome, durationMs }) => complain(callLine(call, outcome, durationMs)) },
    changed: change => {
      complain(changeLine(change))
      const link = change.problem ? undefined : linkOf(change.features)
      if (link !== undefined) complain(`  try it: ${link}`)
    },
    listening: (url, { features, problems }) => {
      base = url
      for (const problem of problems) complain(problemLine(problem))
      const link = linkOf(features)
      if (link !== undefined) open(link)
    },
    policy: explainFailures,
  }
}

const nameOf = (file: string): string => {
  const near = relative(process.cwd(), file)
  return near.startsWith('..') ? file : near
}

const problemLine = (problem: ModuleProblem): string =>
  `broken  ${shown({ ...problem, file: nameOf(problem.file) })}: ${problem.message}`

function changeLine({ file, features, ms, problem }: ModuleChange): string {
  if (problem) return `${problemLine(problem)}${features.length > 0 ? ' (what was loaded before is still served)' : ''}`
  if (features.length === 0) return `gone    ${nameOf(file)}`
  return `loaded  ${nameOf(file)} in ${Math.round(ms)} ms: ${features.map(({ name }) => name).join(', ')}`
}

function callLine({ method, params }: Call, outcome: string, ms: number): string {
  const subject = params.name ?? params.uri
  const args = isObject(params.arguments) ? ` ${visibleJson(redact(params.arguments)).slice(0, LONGEST_ARGUMENTS)}` : ''
  return `call    ${method}${typeof subject === 'string' ? ` ${subject.slice(0, 200)}` : ''}${args}: ${outcome}, ${ms.toFixed(1)} ms`
}

/** In an answer, where an error comes from; for a tool that is not there, which modules are broken. */
const explainFailures = (modules: ServedModules): Policy =>
  async function explainFailures(call, next) {
    try {
      return await next(call)
    } catch (error) {
      if (error instanceof RpcError) throw withProblems(error, modules.problems)
      if (!(error instanceof Error) || call.method !== 'tools/call' || error.name === 'Suspended') throw error
      const text = [error.message, `at ${placeIn(error) ?? 'an unknown place'}`].join('\n')
      return { content: [{ type: 'text', text }], isError: true }
    }
  }

function withProblems(error: RpcError, problems: readonly ModuleProblem[]): RpcError {
  if (error.kind !== 'unknown-tool' || problems.length === 0) return error
  const broken = problems.map(problem => `${shown(problem)}: ${problem.message}`).join('; ')
  return new RpcError(error.code, `${error.message}. These modules could not be loaded: ${broken}`, error.data, {
    kind: error.kind,
  })
}
