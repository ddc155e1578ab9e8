import { readArgs } from './args.ts'
import type { Args } from './args.ts'
import { help, print } from './print.ts'
import { UsageError } from './usage.ts'

const run: Readonly<Record<string, (args: Args) => Promise<number>>> = {
  serve: async args => (await import('./commands/serve.ts')).serve(args),
  list: async args => (await import('./commands/list.ts')).list(args),
  cassini: async args => (await import('./commands/cassini.ts')).cassini(args),
  threats: async args => (await import('./commands/threats.ts')).threats(args),
  token: async args => (await import('./commands/token.ts')).token(args),
  call: async args => (await import('./commands/call.ts')).call(args),
}

/** Run a command line; the number is the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const args = readArgs(argv)
    if (args.given.has('help')) return await said(help(argv[0]?.startsWith('-') ? undefined : args.command))
    if (args.given.has('version')) return await said((await import('./version.ts')).VERSION)
    return (await run[args.command.name]?.(args)) ?? 1
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`causeway: ${error.message}\n`)
    return error.exit
  }
}

async function said(text: string): Promise<number> {
  await print(text)
  return 0
}
