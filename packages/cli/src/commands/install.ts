import { existsSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { didYouMean } from '@causeway/engine'
import { clientPrograms, httpEntry, installLink, programNamed, stdioEntry } from '@causeway/engine/client-programs'
import type { ClientEntry, ClientProgram } from '@causeway/engine/client-programs'
import { apply, backupOf, installed, uninstalled } from '../clients/client-installation.ts'
import type { FileChange } from '../clients/client-installation.ts'
import { clientFile } from '../clients/client-paths.ts'
import { entryIn } from '../clients/edit-entry.ts'
import type { ClientScope } from '../clients/client-paths.ts'
import { outdatedEntries } from '../clients/outdated-entries.ts'
import { changedLines } from '../clients/changed-lines.ts'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { flagsOf } from '../config/command-table.ts'
import { readConfig } from '../config/config.ts'
import { addToken, holdsToken, revokeToken, rotateToken } from '../config/files/edit-token-file.ts'
import { UsageError, sentence } from '../config/usage-error.ts'
import { startCommand } from '../serve/own-command.ts'
import { complain, print, printJson, remark } from '../terminal/print.ts'

const NAME = 'causeway'

/** Add this server to the file of a client program, or to those of all programs on this machine. */
export async function install(args: Args): Promise<number> {
  // Wrong flags are said now, not when the client starts the server.
  readConfig({ given: new Map([['config', ['off']], ...args.given]) }, {})
  const programs = chosen(args)
  if (isGiven(args, 'all') && !(await agreed(args, programs))) return 1
  for (const program of programs) await installIn(program, args)
  for (const line of outdatedEntries(startCommand())) complain(line)
  return 0
}

/** Take this server out of the file of a client program; the file is then as it was before. */
export async function uninstall(args: Args): Promise<number> {
  const programs = chosen(args)
  for (const program of programs) await uninstallFrom(program, args)
  return 0
}

async function installIn(program: ClientProgram, args: Args): Promise<void> {
  const file = fileOf(program, args)
  const isTrial = isGiven(args, 'dry-run')
  // What cannot be edited is said before a token is made.
  const trial = entryFor(program, file, args, true)
  const planned = installed(file, trial)
  const entry = isTrial ? trial : entryFor(program, file, args, false)
  const change = isTrial ? planned : installed(file, entry)
  if (!isTrial) apply(change)
  // A link would show the token.
  const link = args.given.has('token-file') ? undefined : installLink(program, NAME, entry)
  if (isGiven(args, 'json')) return printJson({ client: program.id, ...summaryOf(change), ...(link && { link }) })
  await print(shownChange(program, change))
  if (link !== undefined && scopeOf(args) === 'user') await print(`  One click instead: ${link}`)
  const isSame = change.before === change.after
  remark(
    isTrial ? 'Nothing was written (--dry-run).' : isSame ? 'It was there already.' : writtenWords(program, change),
  )
}

const writtenWords = ({ name }: ClientProgram, { file, backup }: FileChange): string =>
  sentence(
    `Written. Restart ${name} to load it.`,
    backup === undefined ? undefined : `The file as it was: ${backupOf(file)}.`,
  )

async function uninstallFrom(program: ClientProgram, args: Args): Promise<void> {
  const file = fileOf(program, args)
  const change = uninstalled(file, [...program.container, NAME])
  const isTrial = isGiven(args, 'dry-run')
  const tokens = args.given.get('token-file')?.at(-1)
  if (change && !isTrial) apply(change)
  if (tokens !== undefined && !isTrial && holdsToken(tokens, program.id)) revokeToken(tokens, program.id)
  if (isGiven(args, 'json')) return printJson({ client: program.id, file, ...(change && summaryOf(change)) })
  if (!change) return remark(`${program.name}: ${file} does not name ${NAME}.`)
  await print(shownChange(program, change))
  remark(isTrial ? 'Nothing was written (--dry-run).' : 'Removed.')
}

function chosen(args: Args): readonly ClientProgram[] {
  const [name, ...rest] = args.positionals
  const isAll = isGiven(args, 'all')
  if (isAll && name !== undefined) throw new UsageError('Name a client, or use --all, not both.')
  if (rest.length > 0) throw new UsageError(`Name one client. Usage: ${args.command.usage}`)
  if (isAll) return clientPrograms.filter(program => isOnThisMachine(program))
  const found = programNamed(name ?? '')
  if (found) return [found]
  const ids = clientPrograms.map(({ id }) => id)
  const unknown = name === undefined ? 'Name a client.' : `Unknown client '${name.slice(0, 100)}'.`
  throw new UsageError(sentence(unknown, didYouMean(name ?? '', ids), `Clients: ${ids.join(', ')}.`))
}

/** A program that has run here has made the folder of its file. */
const isOnThisMachine = (program: ClientProgram): boolean => {
  const file = clientFile(program, 'user')
  return existsSync(file) || (program.id !== 'claude-code' && existsSync(dirname(file)))
}

/** The file of a program. Links in a project, which other people may have made, do not lead to other files of the user. */
function fileOf(program: ClientProgram, args: Args): string {
  const scope = scopeOf(args)
  const file = clientFile(program, scope)
  if (scope === 'project') {
    const project = realpathSync(process.cwd())
    for (const path of [dirname(file), file])
      if (existsSync(path) && relative(project, realpathSync(path)).split(sep)[0] === '..')
        throw new UsageError(`${path} leads out of the project, to ${realpathSync(path)}. Nothing was changed.`, 4)
  }
  return file
}

async function agreed(args: Args, programs: readonly ClientProgram[]): Promise<boolean> {
  const names = programs.map(({ name }) => name).join(', ')
  if (programs.length === 0)
    throw new UsageError('No client was found on this machine. Name one: causeway install CLIENT')
  if (isGiven(args, 'yes') || isGiven(args, 'dry-run')) return true
  if (!process.stdin.isTTY)
    throw new UsageError(`This changes the files of ${names}. Add --yes to do it without a question.`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(`Add ${NAME} to ${names}? [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

function scopeOf({ given }: Args): ClientScope {
  const scope = given.get('scope')?.at(-1) ?? 'user'
  if (scope === 'user' || scope === 'project') return scope
  throw new UsageError(`--scope must be user or project, got '${scope.slice(0, 100)}'.`)
}

function entryFor(program: ClientProgram, file: string, args: Args, isTrial: boolean): ClientEntry {
  const url = args.given.get('url')?.at(-1)
  const tokens = args.given.get('token-file')?.at(-1)
  if (url === undefined) {
    if (tokens !== undefined) throw new UsageError('--token-file needs --url: on stdio there are no tokens.')
    const [command = '', ...words] = startCommand()
    // Where there are servers behind it, all clients share one daemon instead of starting each server for itself.
    const start = args.given.has('servers') ? ['attach'] : ['serve', '--stdio']
    return stdioEntry(program, NAME, { command, args: [...words, ...start, ...flagsFor(program, args)] })
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url must be an address such as http://127.0.0.1:5000/mcp, got '${url.slice(0, 200)}'.`)
  if (tokens === undefined) return httpEntry(program, NAME, { url })
  const token = tokenFor(program, file, tokens, isTrial)
  return httpEntry(program, NAME, { url, headers: { Authorization: `Bearer ${token}` } })
}

/** The token in the file of the program if it is still good, otherwise a new one. */
function tokenFor({ id, container }: ClientProgram, file: string, tokens: string, isTrial: boolean): string {
  const [known] = /cw_[\w-]{32}/.exec(JSON.stringify(entryIn(file, [...container, NAME]) ?? '')) ?? []
  if (known !== undefined && holdsToken(tokens, id, known)) return known
  if (isTrial) return 'TOKEN'
  return holdsToken(tokens, id) ? rotateToken(tokens, id) : addToken(tokens, id)
}

/** The flags that were given, so that the client serves the same; paths are absolute, since clients start anywhere. */
function flagsFor({ workspace, startsInFolder = false }: ClientProgram, args: Args): readonly string[] {
  const known = flagsOf(args.command).filter(
    ({ group }) => group === 'tools' || group === 'sources' || group === 'limits',
  )
  const words = known.flatMap(({ name, value, parse }) =>
    (args.given.get(name) ?? []).flatMap(given => {
      if (value === undefined) return given === 'true' ? [`--${name}`] : []
      return [
        `--${name}`,
        parse === 'path'
          ? given
              .split(',')
              .map(path => resolve(path))
              .join(',')
          : given,
      ]
    }),
  )
  // Without packs there is nothing in a root to work on.
  if (args.given.has('root') || args.given.get('pack')?.at(-1) === 'none') return words
  const root = workspace ?? (startsInFolder || scopeOf(args) === 'project' ? undefined : process.cwd())
  return root === undefined ? words : [...words, '--root', root]
}

const summaryOf = ({ file, before, after }: FileChange): object => ({ file, changed: before !== after })

const shownChange = ({ name }: ClientProgram, { file, before, after }: FileChange): string =>
  [`${name}: ${file}`, ...changedLines(before ?? '', after ?? '').map(line => `  ${masked(line)}`)].join('\n')

const LONGEST_LINE = 300

const masked = (line: string): string => {
  const hidden = line.replaceAll(/cw_[\w-]{32}/g, 'cw_…')
  return hidden.length > LONGEST_LINE ? `${hidden.slice(0, LONGEST_LINE)}…` : hidden
}
