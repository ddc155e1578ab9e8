import { parseDuration } from '@causeway/engine/internal'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { UsageError } from '../config/usage-error.ts'
import { queryAudit, targetOf } from '../observe/audit/query.ts'
import type { FoundEntry } from '../observe/audit/query.ts'
import { verifyAudit } from '../observe/audit/verify.ts'
import type { Verdict } from '../observe/audit/verify.ts'
import { complain, counted, print, printExact, printJson } from '../terminal/print.ts'

const TAMPERED = 1
const MOST_NOTES = 20

/** Verify an audit, or find entries in it. */
export async function audit(args: Args): Promise<number> {
  const [action, ...files] = args.positionals
  if (action === undefined || files.length === 0) throw new UsageError(`Usage: ${args.command.usage}`)
  return actionNamed({ verify, query }, action)(files, args)
}

async function verify(files: readonly string[], args: Args): Promise<number> {
  const expected = (args.given.get('expected-head') ?? []).map(hash => {
    if (/^[0-9a-f]{64}$/.test(hash)) return hash
    throw new UsageError(`--expected-head must be a hash of 64 hexadecimal digits, got '${hash.slice(0, 100)}'.`)
  })
  const verdict = verifyAudit(files, expected)
  if (isGiven(args, 'json')) await printJson({ intact: verdict.problem === undefined, ...verdict })
  else await print(said(verdict, files))
  return verdict.problem ? TAMPERED : 0
}

function said({ problem, notes, heads, lines }: Verdict, files: readonly string[]): string {
  const shown = notes.slice(0, MOST_NOTES).map(note => `note: ${note}`)
  if (notes.length > MOST_NOTES) shown.push(`note: ${counted(notes.length - MOST_NOTES, 'more note')}`)
  if (problem) return [...shown, `${problem.file} line ${problem.line}: ${problem.why}`, 'tampered'].join('\n')
  const intact = `intact: ${counted(lines, 'line')} in ${counted(files.length, 'file')}`
  return [...shown, intact, ...heads.map(({ hash }) => `head ${hash}`)].join('\n')
}

async function query(files: readonly string[], args: Args): Promise<number> {
  const given = (name: string): string | undefined => args.given.get(name)?.at(-1)
  const wanted = {
    principal: patternOf(given('principal')),
    tool: patternOf(given('tool')),
    outcome: patternOf(given('outcome')),
    since: timeOf('since', given('since')),
    until: timeOf('until', given('until')),
  }
  let count = 0
  for (const found of queryAudit(files, wanted)) {
    count += 1
    await (isGiven(args, 'json') ? printExact(found.line) : print(shownEntry(found)))
  }
  if (count === 0 && !isGiven(args, 'quiet')) complain('causeway: no entry fits.')
  return 0
}

/** A text in which `*` stands for anything. */
const patternOf = (text: string | undefined): RegExp | undefined =>
  text === undefined
    ? undefined
    : new RegExp(
        `^${text
          .split('*')
          .map(part => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
          .join('.*')}$`,
        's',
      )

/** A date, a date with a time, or a while ago. */
function timeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ago = parseDuration(text)
  const time = ago === undefined ? Date.parse(text) : Date.now() - ago
  if (!Number.isNaN(time)) return time
  throw new UsageError(
    `--${flag} must be a time such as 2026-01-31, 2026-01-31T12:00:00Z or 2h (two hours ago), got '${text.slice(0, 100)}'.`,
  )
}

function shownEntry({ entry }: FoundEntry): string {
  const { time, principal, outcome, durationMs, arguments: given, times } = entry
  const took = typeof durationMs === 'number' ? [`${Math.round(durationMs)} ms`] : []
  const more = [
    ...(times === undefined ? [] : [`${JSON.stringify(times)} times`]),
    ...(given ? [JSON.stringify(given)] : []),
  ]
  return [time, principal ?? '-', targetOf(entry) ?? '-', outcome ?? '-', ...took, ...more].map(String).join('  ')
}
