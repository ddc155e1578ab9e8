import { count } from './count.ts'
import { flatten } from './flat.ts'
import type { Flat } from './flat.ts'
import type { Language } from '../parse/grammar.ts'
import { maintainability } from './halstead.ts'
import { Lines } from '../parse/lines.ts'
import type { FileMetrics, FunctionMetrics } from './metrics.ts'
import { fullName, namer } from './names.ts'
import type { Name, Namer } from './names.ts'
import { bearersIn } from '../symbols/bearers.ts'
import type { Definition } from '../symbols/definition.ts'
import { parametersOf } from './parameters.ts'
import { parsing } from '../parse/parser.ts'
import { readable } from '../preprocess/readable.ts'
import type { Readable } from '../preprocess/readable.ts'
import { recursive } from './recursion.ts'
import { cognitiveTotals } from './scope.ts'
import type { Scope } from './scope.ts'
import { nestingOf } from './nesting.ts'
import type { Nesting } from './nesting.ts'

/** Measure the functions of one file: the only place where scores are made, for every tool and format. */
export async function analyse(file: string, source: string, language: Language): Promise<FileMetrics> {
  const { parser, roles, openCursor, query } = await parsing(language)
  const made = readable(file, source, language)
  const tree = parser.parse(made?.text ?? source)
  if (!tree) return { file, lines: 0, functions: [], fault: { file, reason: 'The parser gave up' } }
  let flat: Flat
  let definitions: Definition[]
  try {
    definitions = bearersIn(tree, query, { source, language })
    flat = flatten(tree, openCursor, { roles, source })
  } finally {
    tree.delete()
  }
  const nesting = nestingOf(flat)
  count(flat, nesting)
  if (made) markMisread(flat, nesting.scopes, made)
  const lines = new Lines(source)
  // Behind a macro that we do not know may stand anything; it matters if code is in it.
  const fault = flat.faults.find(at => !made || faultMatters(flat, nesting, at))
  const left = nesting.scopes.filter(({ faulty }) => faulty).length
  return {
    file,
    lines: lines.count,
    functions: measured(flat, nesting.scopes, { lines, nameOf: namer(flat, definitions) }),
    ...(fault !== undefined && { fault: { file, line: lines.at(flat.start[fault]!), reason: syntaxError(left) } }),
  }
}

/** Where the parser lost its way, a body does not end with the brace that closes it; such figures would be of another function. */
function markMisread(flat: Flat, scopes: readonly Scope[], { closing }: Readable): void {
  for (const scope of scopes) {
    const body = flat.inField(scope.node, flat.roles.fields.body)
    const end = body === undefined ? undefined : closing.get(flat.start[body]!)
    if (end !== undefined && end !== flat.end[body!]) scope.faulty = true
  }
}

const faultMatters = ({ source, start, end }: Flat, { scopes, scope }: Nesting, at: number): boolean =>
  scopes[scope[at]! - 1]?.faulty === true || source.slice(start[at], end[at]).includes('{')

const syntaxError = (left: number): string =>
  left === 0 ? 'Syntax error' : `Syntax error; ${left} function${left === 1 ? ' was' : 's were'} not measured`

interface Naming {
  readonly lines: Lines
  readonly nameOf: Namer
}

function measured(flat: Flat, scopes: readonly Scope[], { lines, nameOf }: Naming): FunctionMetrics[] {
  const { grammar } = flat.roles
  const known = scopes.map(scope => ({ scope, name: nameOf(scope.node) }))
  const names = new Map(known.map(({ scope, name }) => [scope, name]))
  const totals = cognitiveTotals(scopes, {
    holds: () => !grammar.separate,
    deepens: inner => (isWrapped(flat, inner) ? 0 : 1),
  })
  const loops = recursive(known, grammar)
  const cognitive = (scope: Scope): number => (totals.get(scope) ?? 0) + (loops.has(scope) ? 1 : 0)
  return known
    .filter(({ scope }) => !scope.faulty)
    .map(({ scope, name }) => {
      const { outer } = scope
      const enclosing = outer && !grammar.separate ? names.get(outer) : undefined
      return metricsOf(flat, scope, { name, lines, cognitive: cognitive(scope), enclosing })
    })
}

interface More {
  readonly name: Name
  readonly lines: Lines
  readonly cognitive: number
  /** The function for which its cognitive complexity counts. */
  readonly enclosing: Name | undefined
}

function metricsOf(flat: Flat, scope: Scope, { name, lines, cognitive, enclosing }: More): FunctionMetrics {
  const { cyclomatic, nesting, node } = scope
  const line = lines.at(name.start)
  const end = lines.at(Math.max(0, flat.end[node]! - 1))
  const halstead = scope.halstead.result
  return {
    name: fullName(name, flat.roles.grammar),
    line,
    end_line: end,
    cyclomatic,
    cognitive,
    ...(enclosing && { enclosing: fullName(enclosing, flat.roles.grammar) }),
    nesting,
    lines: end - line + 1,
    parameters: parametersOf(flat, node),
    halstead,
    maintainability: maintainability(halstead.volume, cyclomatic, end - line + 1),
  }
}

/** Is it all that the outer function holds, but for returning it? Decorators are written so, and are no deeper for it. */
function isWrapped(flat: Flat, { node, outer }: Scope): boolean {
  const { grammar, fields } = flat.roles
  const block = outer && grammar.wrappers ? flat.inField(outer.node, fields.body) : undefined
  if (block === undefined) return false
  const [inner, end, ...more] = flat.children(block)
  const isInner = inner === node || (inner !== undefined && inner === flat.parent[node])
  return isInner && more.length === 0 && end !== undefined && flat.kind(end) === 'return_statement'
}
