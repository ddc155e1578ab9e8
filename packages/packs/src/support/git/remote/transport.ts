import { join } from 'node:path'
import { environment } from '../../processes/environment.ts'
import type { Outcome } from '../../processes/exec.ts'
import type { Repository } from '../repository.ts'
import type { Jail } from '../../files/jail.ts'
import { findProgram, isOutside } from '../../processes/programs.ts'
import type { Setting } from '../config.ts'
import { lastOf } from '../config.ts'
import { execPath } from '../program.ts'
import type { Remote } from './remote.ts'

/** A command of git that talks to another repository. */
export interface Exchange {
  readonly jail: Jail
  readonly repo: Repository
  readonly remote: Remote
  readonly timeoutMs: number | undefined
}

// What the owner of the machine says about servers and passwords, for all repositories.
const OWNERS = /^(?:credential|http)\./
const OURS: readonly Setting[] = [
  ['credential.interactive', 'false'],
  ['http.followredirects', 'false'],
  ['http.lowspeedlimit', '100'],
  ['http.lowspeedtime', '30'],
  ['core.askpass', ''],
  ['fetch.recursesubmodules', 'false'],
  ['fetch.prune', 'false'],
  ['fetch.parallel', '1'],
  ['fetch.writecommitgraph', 'false'],
  ['push.recursesubmodules', 'no'],
  ['push.gpgsign', 'false'],
  ['push.followtags', 'false'],
]

/**
 * Run git with one transport switched on. Git may start itself and what the owner of the machine configured (ssh, helpers for
 * passwords); the repository's configuration takes no part in it.
 */
export async function exchange({ jail, repo, remote, timeoutMs }: Exchange, args: readonly string[]): Promise<Outcome> {
  const isLocal = remote.protocol === 'file'
  const settings: Setting[] = [
    ...(isLocal ? [] : repo.ownerSettings.filter(([key]) => OWNERS.test(key))),
    ...OURS,
    [`remote.${remote.name}.url`, remote.url],
  ]
  const env = {
    ...fromSettings(settings),
    GIT_EXEC_PATH: await execPath(repo.program),
    GIT_ALLOW_PROTOCOL: remote.protocol,
    GIT_PROTOCOL_FROM_USER: '1',
    ...(isLocal ? {} : await network(jail, repo, remote)),
  }
  return repo.run(args, { env, wild: true, timeoutMs })
}

/** Settings by the environment, where other users of the machine do not see them. */
function fromSettings(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}

async function network(jail: Jail, repo: Repository, { protocol }: Remote): Promise<Record<string, string>> {
  const surroundings = environment({ accepts: isOutside(jail.holds), also: ['SSH_AUTH_SOCK'] })
  const { PATH = '', HOME = join(repo.folder, 'none'), SSH_AUTH_SOCK } = surroundings
  return {
    PATH,
    HOME,
    ...(SSH_AUTH_SOCK !== undefined && { SSH_AUTH_SOCK }),
    ...(protocol === 'ssh' && (await ssh(jail, repo, PATH))),
  }
}

/** The program by its absolute path, outside of the roots; a command of the owner's comes first. */
async function ssh(jail: Jail, repo: Repository, path: string): Promise<Record<string, string>> {
  const command = lastOf(repo.ownerSettings, 'core.sshcommand')
  if (command !== undefined && command !== '') return { GIT_SSH_COMMAND: command }
  const { program } = await findProgram('ssh', path, jail.holds)
  if (program === undefined)
    throw new Error("This remote needs the program 'ssh', which was not found outside the allowed roots.")
  return { GIT_SSH: program, GIT_SSH_VARIANT: 'ssh' }
}
