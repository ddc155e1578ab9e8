import { ownPatterns, validateFolder } from '@causeway/packs/threats'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { complain, print, printJson, remark } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

/** Check the files of a knowledge base (default: our own); an error in one of them ends with 1. */
export async function threats(args: Args): Promise<number> {
  const [action, folder = ownPatterns, ...more] = args.positionals
  if (action !== 'validate' || more.length > 0)
    throw new UsageError(`The only action is validate. Usage: ${args.command.usage}`)
  const { files, findings } = await validateFolder(folder).catch((error: unknown) => {
    throw new UsageError(`${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  if (files === 0) throw new UsageError(`${folder} holds no YAML files.`)
  const errors = findings.filter(({ level }) => level === 'error').length
  if (isGiven(args, 'json')) {
    await printJson({ files, findings })
    return errors > 0 ? 1 : 0
  }
  for (const { file, level, what } of findings) (level === 'error' ? complain : remark)(`${file}: ${level}: ${what}`)
  const counted = [many(files, 'pattern'), many(errors, 'error'), many(findings.length - errors, 'warning')]
  await print(counted.join(', '))
  return errors > 0 ? 1 : 0
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
