import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { configProblems } from '../config/config.ts'
import { located } from '../config/files/settings-file.ts'
import { UsageError } from '../config/usage-error.ts'
import { counted, print, printJson, remark } from '../terminal/print.ts'

/** Say what is wrong with a configuration file. */
export async function validate(args: Args): Promise<number> {
  const [file, ...rest] = args.positionals
  if (file === undefined || rest.length > 0) throw new UsageError(`Name one file. Usage: ${args.command.usage}`)
  const problems = configProblems(file)
  if (isGiven(args, 'json'))
    await printJson({ file, problems: problems.map(({ message, place }) => ({ message, ...place })) })
  else for (const problem of problems) await print(located(file, problem))
  if (problems.length > 0) remark(`${counted(problems.length, 'problem')}.`)
  else if (!isGiven(args, 'json')) remark(`${file} can be used.`)
  return problems.length === 0 ? 0 : 4
}
