import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { didYouMean } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { RightsRule } from '@causeway/engine/policies'
import { NO_AUTH, readAuthSettings } from '../auth-settings.ts'
import type { AuthSettings, Bad } from '../auth-settings.ts'
import type { Flag } from '../flags.ts'
import { readRights } from '../rights-settings.ts'
import { configurable } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { UsageError, sentence } from '../usage-error.ts'
import { MalformedDocument, parseDocument, pathOf } from './config-document.ts'
import type { ConfigDocument, ConfigPath, Place } from './config-document.ts'
import { readServersFiles } from './servers-file.ts'

/** A configuration file: what it sets, whose tokens it accepts, and who may use what. */
export interface SettingsFile {
  readonly settings: Settings
  readonly auth: AuthSettings
  /** Without the key, everyone may use everything. */
  readonly rights: readonly RightsRule[] | undefined
}

/** What a configuration without a file sets. */
export const NO_FILE: SettingsFile = { settings: new Map(), auth: NO_AUTH, rights: undefined }

/** What a file is read with. */
export interface FileSurroundings {
  readonly env: NodeJS.ProcessEnv
  /** Refuses values that their flags do not take. */
  readonly check: (settings: Settings) => void
}

/** A mistake in a configuration file. */
export interface ConfigProblem {
  readonly message: string
  readonly place: Place | undefined
}

// The keys that are no flags, since they are too much for a command line.
const AUTH = 'auth'
const RIGHTS = 'rights'
const SERVERS = 'servers'
const VIRTUAL = 'virtual'
const MOST_CHARACTERS = 4 * 1024 * 1024

/** What a configuration file sets; the first mistake is refused with the place where it stands. */
export function readSettingsFile(path: string, around: FileSurroundings): SettingsFile {
  const { file, problems } = readWhole(path, around)
  const [first] = problems
  if (first) throw new UsageError(`Configuration ${located(path, first)}`, 4)
  return file
}

/** Everything that is wrong with a configuration file, the servers in it included. */
export function problemsIn(path: string, around: FileSurroundings): readonly ConfigProblem[] {
  const { file, document, problems } = readWhole(path, around)
  const isOfServers = file.settings.get(SERVERS)?.includes(resolve(path)) === true
  return document && isOfServers ? [...problems, ...serverProblems(path, document, around.env)] : problems
}

/** `causeway.yaml:3:5: unknown key …` */
export const located = (path: string, { message, place }: ConfigProblem): string =>
  `${path}${place ? `:${place.line}:${place.column}` : ''}: ${message}`

interface WholeFile {
  readonly file: SettingsFile
  readonly document?: ConfigDocument
  readonly problems: readonly ConfigProblem[]
}

function readWhole(path: string, around: FileSurroundings): WholeFile {
  const problems: ConfigProblem[] = []
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length > MOST_CHARACTERS) throw new Error(`it is longer than ${MOST_CHARACTERS} characters`)
    const document = parseDocument(path, text)
    return { file: settingsIn({ path, document, ...around }, problems), document, problems }
  } catch (error) {
    const place = error instanceof MalformedDocument ? error.place : undefined
    return { file: NO_FILE, problems: [{ message: error instanceof Error ? error.message : String(error), place }] }
  }
}

interface Reading extends FileSurroundings {
  readonly path: string
  readonly document: ConfigDocument
}

function settingsIn({ path, document, env, check }: Reading, problems: ConfigProblem[]): SettingsFile {
  const { value: content } = document
  const attempt = <T>(key: ConfigPath, otherwise: T, make: (bad: Bad) => T): T => {
    let at = key
    try {
      return make((why, where) => {
        at = pathOf(where)
        return new UsageError(why, 4)
      })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      // What a flag takes, its key takes.
      const message = error.message.replace(/^--([\w-]+)(?= must)/, "'$1'")
      problems.push({ message, place: document.placeOf(at) })
      return otherwise
    }
  }
  if (!isObject(content)) {
    problems.push({ message: 'must be an object: keys with values', place: document.placeOf([]) })
    return NO_FILE
  }
  const settings = new Map<string, readonly string[]>()
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema' || key === AUTH || key === RIGHTS) continue
    const set = attempt([key], undefined, bad => setting(key, value, { path, bad, check }))
    if (set) settings.set(set.name, [...(settings.get(set.name) ?? []), ...set.values])
  }
  // Values that exclude each other, such as stdio and http; what is wrong in itself was said.
  if (problems.length === 0) attempt<unknown>([], undefined, () => check(settings))
  const auth = attempt([AUTH], NO_AUTH, bad => readAuthSettings(content[AUTH], name => env[name], bad))
  return { settings, auth, rights: attempt([RIGHTS], undefined, bad => readRights(content[RIGHTS], bad)) }
}

interface SettingSurroundings {
  readonly path: string
  readonly bad: Bad
  readonly check: (settings: Settings) => void
}

/** A key of the file as the flag that it sets, and its values. */
function setting(key: string, value: unknown, { path, bad, check }: SettingSurroundings): Setting {
  // The file is then a file of servers itself.
  if ((key === SERVERS || key === VIRTUAL) && isObject(value)) return { name: SERVERS, values: [resolve(path)] }
  const values = valuesOf(flagOf(key, bad), value, bad)
  check(new Map([[key, values]]))
  return { name: key, values }
}

interface Setting {
  readonly name: string
  readonly values: readonly string[]
}

function flagOf(key: string, bad: Bad): Flag {
  const inFiles = configurable.filter(({ name }) => name !== 'config')
  const found = inFiles.find(({ name }) => name === key)
  if (found) return found
  const names = [...inFiles.map(({ name }) => name), AUTH, RIGHTS]
  throw bad(sentence(`unknown key '${key.slice(0, 100)}'.`, didYouMean(key, names)), `["${key}"]`)
}

function valuesOf({ name, list }: Flag, value: unknown, bad: Bad): string[] {
  const values: readonly unknown[] = Array.isArray(value) && list ? value : [value]
  return values.map((v, i) => {
    if (typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean') return String(v)
    const wanted = list ? 'text, or an array of texts' : 'text, a number, true or false'
    const where = Array.isArray(value) ? `${name}[${i}]` : name
    throw bad(`'${name}' must be ${wanted}, got ${(JSON.stringify(v) ?? 'nothing').slice(0, 100)}.`, where)
  })
}

/** What is wrong with servers that stand in the file itself. */
function serverProblems(path: string, document: ConfigDocument, env: NodeJS.ProcessEnv): readonly ConfigProblem[] {
  const { unusable, clashes, problems } = readServersFiles([path], env)
  const entries = unusable.flatMap(({ name, problems: wrong }) =>
    wrong.map(problem => ({
      message: `server '${name.slice(0, 100)}': ${problem}`,
      place: document.placeOf([SERVERS, name]),
    })),
  )
  const others = problems.filter(problem => problem.startsWith(`${path}: virtual `))
  return [
    ...entries,
    ...clashes.map(message => ({ message, place: document.placeOf([SERVERS]) })),
    ...others.map(problem => ({ message: problem.slice(path.length + 2), place: document.placeOf([VIRTUAL]) })),
  ]
}
