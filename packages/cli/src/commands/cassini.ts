import { PlanError, importPlan, sourceOf } from '@causeway/packs/cassini'
import type { BadRow, Imported } from '@causeway/packs/cassini'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { complain, counted, print, printJson } from '../terminal/print.ts'
import { progressLine } from '../terminal/progress.ts'
import { UsageError } from '../config/usage-error.ts'

const SHOWN = 20

/** Load the public master plan of the Cassini mission from a CSV file. */
export async function cassini(args: Args): Promise<number> {
  const { positionals, given, command } = args
  const [verb, file, ...rest] = positionals
  if (verb !== 'import') throw new UsageError(`The only action is import. Usage: ${command.usage}`)
  if (file === undefined || rest.length > 0) throw new UsageError(`Name one CSV file. Usage: ${command.usage}`)
  const lenient = given.get('lenient')?.at(-1) === 'true'
  const data = given.get('data')?.at(-1) ?? (process.env.CAUSEWAY_DATA || undefined)
  const bar = isGiven(args, 'quiet') ? { show: () => {}, clear: () => {} } : importProgress(process.stderr)
  try {
    const imported = await importPlan(file, { data, lenient, onProgress: bar.show })
    bar.clear()
    return await tell(file, imported, isGiven(args, 'json'))
  } catch (error) {
    bar.clear()
    throw asUsage(error, file)
  }
}

/** Bad rows go to stderr; without --lenient they are the end of it. */
async function tell(file: string, { bad, file: database, about }: Imported, isJson: boolean): Promise<number> {
  const fate = database === undefined ? 'cannot be read' : 'skipped'
  if (bad.length > 0) complain(`${file}: ${counted(bad.length, 'row')} ${fate}:\n${listed(bad)}`)
  if (database === undefined || !about) {
    complain('Nothing was imported. Correct the file, or skip these rows with --lenient.')
    return 1
  }
  if (isJson) await printJson({ database, source: sourceOf(about), skipped: bad })
  else await print(`Imported ${sourceOf(about)}, into ${database}`)
  return 0
}

function listed(bad: readonly BadRow[]): string {
  const lines = bad.slice(0, SHOWN).map(({ line, problem }) => `  line ${line}: ${problem}`)
  return [...lines, ...(bad.length > SHOWN ? [`  and ${bad.length - SHOWN} more`] : [])].join('\n')
}

const EXIT: Readonly<Record<string, number>> = { ENOENT: 2, EISDIR: 2, EACCES: 5, EPERM: 5, EROFS: 5 }

/** What the operator can correct, in words; the rest is thrown on. */
function asUsage(error: unknown, file: string): unknown {
  if (error instanceof PlanError) return new UsageError(`${file}: ${error.message}.`, 1)
  if (!(error instanceof Error) || !('code' in error)) return error
  return new UsageError(error.message, EXIT[String(error.code)] ?? 1)
}

interface Bar {
  show(done: number, doing: string): void
  clear(): void
}

/** A bar that grows in place; where it cannot, a line for each step. */
function importProgress(out: NodeJS.WriteStream): Bar {
  const line = progressLine(true, { afterMs: 0, everyMs: 0 })
  if (line.isShown)
    return { show: (done, doing) => line.show({ progress: done, total: 1, message: doing }), clear: line.clear }
  let last = ''
  return {
    show(_, doing) {
      if (doing !== last) out.write(`${doing}…\n`)
      last = doing
    },
    clear: () => {},
  }
}
