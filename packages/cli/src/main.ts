import { isGiven, readArgs } from './config/args.ts'
import type { Args } from './config/args.ts'
import { exit } from './terminal/exit.ts'
import { help } from './terminal/help.ts'
import { complain, guardOutputs, print, printJson, setQuiet } from './terminal/print.ts'
import { UsageError } from './config/usage-error.ts'

const run: Readonly<Record<string, (args: Args) => Promise<number>>> = {
  serve: async args => (await import('./commands/serve.ts')).serve(args),
  attach: async args => (await import('./daemon/attach.ts')).attach(args),
  daemon: async args => (await import('./daemon/daemon-command.ts')).daemon(args),
  new: async args => (await import('./commands/author/new.ts')).newServer(args),
  dev: async args => (await import('./commands/author/dev.ts')).dev(args),
  record: async args => (await import('./commands/author/record.ts')).record(args),
  replay: async args => (await import('./commands/author/replay.ts')).replay(args),
  install: async args => (await import('./commands/install.ts')).install(args),
  uninstall: async args => (await import('./commands/install.ts')).uninstall(args),
  doctor: async args => (await import('./commands/doctor.ts')).doctor(args),
  list: async args => (await import('./commands/client/list.ts')).list(args),
  describe: async args => (await import('./commands/client/describe.ts')).describe(args),
  cassini: async args => (await import('./commands/cassini.ts')).cassini(args),
  threats: async args => (await import('./commands/threats.ts')).threats(args),
  login: async args => (await import('./commands/auth/login.ts')).login(args),
  logout: async args => (await import('./commands/auth/logout.ts')).logout(args),
  servers: async args => (await import('./commands/servers.ts')).servers(args),
  lock: async args => (await import('./commands/lock.ts')).lock(args),
  store: async args => (await import('./commands/store.ts')).store(args),
  audit: async args => (await import('./commands/audit.ts')).audit(args),
  validate: async args => (await import('./commands/validate.ts')).validate(args),
  rights: async args => (await import('./commands/rights.ts')).rights(args),
  token: async args => (await import('./commands/token.ts')).token(args),
  call: async args => (await import('./commands/client/call.ts')).call(args),
  read: async args => (await import('./commands/client/read.ts')).read(args),
  prompt: async args => (await import('./commands/client/prompt.ts')).prompt(args),
  inspect: async args => (await import('./commands/inspect.ts')).inspect(args),
  help: async args => (await import('./commands/help.ts')).helpOn(args),
  completion: async args => (await import('./commands/completion.ts')).completion(args),
  version: args => version(args),
}

/** Run a command line; the number is the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  guardOutputs()
  try {
    const args = readArgs(argv)
    setQuiet(isGiven(args, 'quiet'))
    if (isGiven(args, 'help')) return await printed(help(args.isNamed ? args.command : undefined))
    if (isGiven(args, 'version')) return await version(args)
    return (await run[args.command.name]?.(args)) ?? 1
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    complain(`causeway: ${error.message}`)
    return error.exit
  }
}

/** Run a command line, and end the process with its exit code. */
export const mainAndEnd = async (argv: readonly string[]): Promise<never> => exit(await main(argv))

async function version(args: Args): Promise<number> {
  const { VERSION } = await import('./version.ts')
  await (isGiven(args, 'json') ? printJson({ version: VERSION }) : print(VERSION))
  return 0
}

async function printed(text: string): Promise<number> {
  await print(text)
  return 0
}
