import { isAbsolute, resolve } from 'node:path'
import { fault, text } from '@causeway/engine'
import type { Content, Context, ToolResult } from '@causeway/engine'
import { environment } from '../../support/processes/environment.ts'
import { run } from '../../support/processes/exec.ts'
import type { Command, Outcome } from '../../support/processes/exec.ts'
import type { Held } from '../../support/files/jail.ts'
import { findProgram, isOutside } from '../../support/processes/programs.ts'
import { quote } from '../../support/quote.ts'
import { clip } from '../../support/processes/spool.ts'
import { plain } from '../build/reports/excerpt.ts'
import { ranNothing } from '../build/reports/no-tests.ts'
import type { Written } from '../build/reports/report.ts'
import { report } from '../build/reports/report.ts'
import type { Workspace } from '../workspace.ts'
import { LineReport } from './line-report.ts'

/** A program to run in a directory of the jail. */
export interface Job {
  readonly words: readonly string[]
  readonly directory: string
  /** The argument that the directory came in. */
  readonly argument: string
  readonly env?: Readonly<Record<string, string>>
  /** It runs what the project says anyway, so programs of the project may be found by their names too. */
  readonly trusting?: boolean
  /** How long it may take; then the call is given that time too, as far as the server allows. */
  readonly timeoutMs?: number | undefined
  /** Of a success only the end of the output is wanted; this stands in front of it, and of a failure. */
  readonly brief?: string
  /** It runs tests: a success without any is none. */
  readonly tests?: boolean
}

/** The argument that says how long a program may run. */
export const timeout: { readonly type: 'integer'; readonly minimum: 1; readonly maximum: 3600 } = {
  type: 'integer',
  minimum: 1,
  maximum: 3600,
}

const NOTE_BYTES = 64
// Larger outputs are looked through in a thread.
const SMALL = 128 * 1024
const REPORT_MS = 20_000
// So much before the server gives a call up, its program is ended, to say how far it came.
const MARGIN_MS = 2000
const PARTIAL_BYTES = 8 * 1024

/** Run a program, tell the client its lines as they come, and return what it wrote; a failed one throws. */
export function runProgram(workspace: Workspace, job: Job, ctx: Context): Promise<ToolResult> {
  const { jail, textBytes } = workspace
  const { words } = job
  const timeoutMs = timeFor(workspace, job, ctx)
  return jail.inside({ path: job.directory, argument: job.argument }, async dir => {
    const command = await commandFor(workspace, job, dir)
    const started = performance.now()
    const told = new LineReport(ctx)
    const outcome = await run({
      ...command,
      signal: ctx.signal,
      timeoutMs,
      partial: true,
      keep: textBytes,
      wild: true,
      onLines: lines => told.take(lines),
    }).finally(() => told.end())
    if (outcome.late) throw await lateError(workspace, job, outcome, timeoutMs ?? 0)
    if (outcome.code !== 0)
      throw new Error(`${job.brief ?? ''}${howItEnded(words, outcome)}${await said(workspace, outcome, ctx)}`)
    if (job.tests && ranNothing(outcome.stdout, outcome.stderr))
      throw new Error(
        `${job.brief ?? ''}No test was run: ${quote(words.join(' '))} ended well and found none. Look at the file and the name that were asked for.${await said(workspace, outcome, ctx)}`,
      )
    if (job.brief === undefined) return { content: contents(outcome, textBytes) }
    const took = ((performance.now() - started) / 1000).toFixed(1)
    const head = `${job.brief}${quote(words.join(' '))} succeeded in ${took} s.`
    return { content: [text(clip(`${head}${await said(workspace, outcome, ctx)}`, textBytes))] }
  })
}

/** How a job is started in a directory that is held: which file, and what it sees of our environment. */
export async function commandFor(
  workspace: Workspace,
  { words, env = {}, trusting = false }: Job,
  dir: Held,
): Promise<Pick<Command, 'program' | 'args' | 'cwd' | 'env'>> {
  const accepts = trusting ? undefined : isOutside(workspace.jail.holds)
  const surroundings = environment({ also: workspace.environment, ...(accepts && { accepts }) })
  const search = { from: dir.path, path: environment().PATH ?? '', trusting }
  const program = await programFor(workspace, words[0] ?? '', search)
  return { program, args: words.slice(1), cwd: dir.at(), env: { ...surroundings, ...env } }
}

/** The time of the program: what was asked for, else what the call has, as far as the server and the pack allow. */
function timeFor({ timeMs }: Workspace, { timeoutMs }: Job, ctx: Context): number | undefined {
  if (timeoutMs === undefined)
    return ctx.timeMs === undefined ? timeMs : Math.min(timeMs ?? Infinity, before(ctx.timeMs))
  const wanted = Math.min(timeoutMs, timeMs ?? timeoutMs)
  const granted = ctx.allowTime(wanted + MARGIN_MS)
  return Math.min(wanted, before(granted))
}

/** A while before the call's own time is up. */
const before = (ms: number): number => ms - Math.min(MARGIN_MS, ms / 10)

interface Search {
  readonly from: string
  readonly path: string
  readonly trusting: boolean
}

/**
 * The file to run, chosen once. A name is looked up outside of the roots only: in them, anyone may have put a file of
 * that name.
 */
async function programFor({ jail }: Workspace, program: string, { from, path, trusting }: Search): Promise<string> {
  if (/[/\\]/.test(program)) {
    // A program given as a path from here must lie in a root, like everything else.
    if (!isAbsolute(program)) await jail.resolve(resolve(from, program), 'command')
    return resolve(from, program)
  }
  const found = await findProgram(program, path, trusting ? () => false : jail.holds)
  if (found.program !== undefined) return found.program
  if (found.inside === undefined) throw new Error(`Program ${quote(program)} was not found`)
  throw new Error(
    `Program ${quote(program)} was found only inside the allowed roots, at ${quote(found.inside)}, and is not run by its ` +
      'name alone. Call it by its path; the operator must allow that path.',
  )
}

function contents({ stdout, stderr, cut }: Outcome, most: number): Content[] {
  if (stderr === '') return [text(plain(stdout))]
  const quarter = Math.floor(most / 4)
  return [text(plain(cut('stdout', most - quarter))), text(`\n[stderr]\n${plain(cut('stderr', quarter - NOTE_BYTES))}`)]
}

function howItEnded(words: readonly string[], { code, signal }: Outcome): string {
  const how = code === null ? `was ended by ${String(signal)}` : `failed with exit code ${code}`
  return `${quote(words.join(' '))} ${how}.`
}

/** What its output says, on lines of its own. */
async function said({ threads }: Workspace, { stdout, stderr, code }: Outcome, ctx?: Context): Promise<string> {
  const written: Written = { stdout, stderr, ok: code === 0 }
  const isSmall = stdout.length + stderr.length < SMALL
  const words = isSmall
    ? report(written)
    : await threads.run<string>('report', written, {
        signal: ctx?.signal,
        client: ctx?.clientKey,
        deadlineMs: REPORT_MS,
      })
  return words === '' ? '' : `\n${words}`
}

/** The output so far, and what to do next. */
async function lateError(
  workspace: Workspace,
  { words, timeoutMs, brief = '' }: Job,
  outcome: Outcome,
  ms: number,
): Promise<Error> {
  const isCut = timeoutMs !== undefined && ms < timeoutMs
  const advice = isCut
    ? 'The server allows no more; run less of it, or the operator raises --timeout.'
    : 'Run less of it (one test or file), or pass a longer time as the argument timeout.'
  const another = brief === '' ? ' start_command runs it in the background.' : ''
  const output = clip((await said(workspace, { ...outcome, code: null })).trimStart(), PARTIAL_BYTES)
  const what = `${brief}${quote(words.join(' '))} was stopped after ${Math.round(ms / 100) / 10} s, before its end. ${advice}${another}`
  return fault('timeout', `${what}${output === '' ? '' : `\nUntil then:\n${output}`}`, { timeoutMs: ms, output })
}
