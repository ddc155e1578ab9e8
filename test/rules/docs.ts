import { posix } from 'node:path'
import type { Piece } from './markdown.ts'
import { code, commandLines, fences, links, spans } from './markdown.ts'
import type { Source } from './repo.ts'

/** Files that live on the reader's machine or come from a build: docs may name them although they are not here. */
export const elsewhere: readonly RegExp[] = [
  /(?:^|\/)(?:claude_desktop_config|cline_mcp_settings|mcp|mcp_config|settings|causeway|causeway\.config)\.json$/,
  /(?:^|\/)causeway\.ya?ml$/,
  /(?:^|\/)(?:node_modules|dist|coverage)(?:\/|$)/,
]

/** Endings that make a name a file name even without a folder. */
const known = /\.(?:[cm]?[jt]s|tsx|jsonc?|md|ya?ml|toml|sh|html|css|csv|txt)$/

/** An ending that stands alone, such as `.ts` or `.d.ts`, names no file. */
const bareEnding = /^(?:\.(?:d|test|spec))?\.[a-z]+$/

/** Subcommands of npm that need no script. */
const npmOwn =
  /^(?:ci|cit|clean-install|install|i|exec|init|create|link|pack|publish|ls|view|config|outdated|update|audit)$/

/** What exists, as far as the docs are concerned. */
export interface World {
  readonly files: ReadonlySet<string>
  /** Names of the scripts in the root `package.json`. */
  readonly scripts: readonly string[]
}

/** What the command line knows, without leading dashes. */
export interface Cli {
  readonly commands: readonly string[]
  readonly flags: readonly string[]
}

function isFolder(path: string, { files }: World): boolean {
  const prefix = `${path.replace(/\/$/, '')}/`
  return [...files].some(file => file.startsWith(prefix))
}

function isRepoPath(name: string, world: World): boolean {
  if (!/^[\w.@][\w.@/+-]*$/.test(name) || elsewhere.some(pattern => pattern.test(name))) return false
  const top = name.split('/')[0] ?? ''
  if (name.includes('/') && isFolder(top, world)) return true
  return known.test(name) && !bareEnding.test(name)
}

/** Whether a name leads to something: from the root, from the file that names it, or as the end of a longer path. */
function leadsSomewhere(name: string, from: string, world: World): boolean {
  const beside = posix.join(posix.dirname(from), name)
  const isHere = [name, beside].some(path => world.files.has(path) || path === '.' || isFolder(path, world))
  if (isHere) return true
  const isRooted = name.startsWith('.') || isFolder(name.split('/')[0] ?? '', world)
  return !(isRooted && name.includes('/')) && [...world.files].some(file => file.endsWith(`/${name}`))
}

function shellWords(text: string): Piece[] {
  const shells = fences(text).filter(({ language }) => /^(?:sh|bash|shell|console|zsh)$/.test(language))
  return shells.flatMap(commandLines).flatMap(({ text: command, line }) => {
    return command.split(/[\s'"]+/).map(word => ({ text: word, line }))
  })
}

/** Paths a Markdown file names that lead nowhere. */
export function missingPaths({ path, text }: Source, world: World): string[] {
  const linked = links(text).filter(link => !/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(link.text))
  const words = shellWords(text).filter(word => word.text.includes('/'))
  const named = [...spans(text), ...words].filter(piece => isRepoPath(strip(piece.text), world))
  return [...linked, ...named].flatMap(piece => {
    const name = strip(piece.text)
    return leadsSomewhere(name, path, world) ? [] : [`${path}:${piece.line} names ${name}: no such file or folder`]
  })
}

/** A path without anchor, line number or leading `.//`. */
function strip(name: string): string {
  return name
    .replace(/[#?].*$/, '')
    .replace(/(?::\d+)+$/, '')
    .replace(/^\.\/(?=.)/, '')
}

/** npm scripts a Markdown file names that the root `package.json` does not have. */
export function missingScripts({ path, text }: Source, { scripts }: World): string[] {
  const whole = commandLines({ text, line: 1 })
  const run = whole.flatMap(line => npmWords(line, /(?<![\w-])npm\s+run(?:\s+-\S+)*\s+([a-z][\w:.-]*)/g, 'npm run'))
  const own = code(text)
    .flatMap(commandLines)
    .flatMap(line => npmWords(line, /(?<![\w-])npm(?:\s+-\S+)*\s+(?!run\b)([a-z][\w:.-]*)/g, 'npm'))
    .filter(({ name }) => !npmOwn.test(name))
  return [...run, ...own].flatMap(({ name, command, line }) => {
    return scripts.includes(name) ? [] : [`${path}:${line} names ${command} ${name}: no such script`]
  })
}

function npmWords({ text, line }: Piece, pattern: RegExp, command: string): NpmUse[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => ({ name, command, line }))
}

interface NpmUse {
  readonly name: string
  readonly command: string
  readonly line: number
}

/** What may stand before our command where it is run: nothing, a prompt, `npx`, `--`, variables. */
const launcher = String.raw`(?:^|[|&;(]|\$|\bnpx(?:\s+-\S+)*|\s--)\s*(?:[A-Z_]+=\S+\s+)*`
const command = String.raw`(?:causeway(?:-mcp)?(?:@\S+)?|node\s+\S*causeway\.js)(?=\s|$)`

/** The words after the name of our command in a line of shell, up to the end of that command. */
function afterCauseway(line: string): string[] {
  const call = new RegExp(launcher + command, 'g')
  return [...line.matchAll(call)].map(({ 0: head, index }) => {
    return line.slice(index + head.length).split(/\s(?:&&|\|\|?|#|>)(?:\s|$)|;/)[0] ?? ''
  })
}

/** The words after our command in a client's JSON settings: `{ "command": …, "args": […] }` at any depth. */
function inSettings(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { command, args } = value as { readonly command?: unknown; readonly args?: unknown }
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(word => typeof word === 'string')
  const at = words.findIndex(word => /^causeway(?:-mcp)?(?:@.*)?$|causeway\.js$/.test(word))
  const found = at < 0 ? [] : [words.slice(at + 1).join(' ')]
  return [...found, ...Object.values(value).flatMap(inSettings)]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Every use of our command in a Markdown text: the words after its name. */
function uses(text: string): Piece[] {
  const settings = fences(text).flatMap(({ text: body, line }) => {
    return inSettings(parseJson(body)).map(words => ({ text: words, line }))
  })
  const lines = code(text).flatMap(commandLines)
  return [
    ...settings,
    ...lines.flatMap(({ text: command, line }) => {
      return afterCauseway(command).map(words => ({ text: words, line }))
    }),
  ]
}

/** Subcommands and flags of `causeway` a Markdown file names that the command line does not know. */
export function unknownUsage({ path, text }: Source, { commands, flags }: Cli): string[] {
  return uses(text).flatMap(({ text: words, line }) => {
    const command = /^\s*([a-z][a-z-]*)(?=\s|$)/.exec(words)?.[1] ?? ''
    const named = [...words.matchAll(/(?<![\w-])--([a-z][\w-]*)/g)].map(([, name = '']) => name)
    const unknown = named.filter(name => !flags.includes(name) && !flags.includes(name.replace(/^no-/, '')))
    const complaints = unknown.map(name => `${path}:${line} names causeway … --${name}: no such flag`)
    if (command === '' || commands.includes(command)) return complaints
    return [`${path}:${line} names causeway ${command}: no such command`].concat(complaints)
  })
}

/** Paths that exist only on the machine a Markdown file was written on. */
export function localPaths({ path, text }: Source): string[] {
  return text.split('\n').flatMap((line, at) => {
    const local = /\.\.\/shared\b|(?<![\w.~-])\/work\//.exec(line)?.[0]
    return local ? [`${path}:${at + 1} names ${local}, which only one machine has`] : []
  })
}
