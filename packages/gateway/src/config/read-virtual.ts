import { isObject } from '@causeway/engine/internal'
import { didYouMean } from '@causeway/engine'
import { fitsPattern } from '@causeway/engine/internal'
import type { View } from '@causeway/engine'
import { list, text } from './values.ts'

/** Virtual servers that can be served, and what is wrong with others, in words. */
export interface VirtualServers {
  readonly views: readonly View[]
  readonly problems: readonly string[]
}

const KEYS = ['tools', 'prompts', 'resources', 'exclude', 'instructions']
const NAME = /^[\w.-]{1,64}$/

/** The virtual servers in a parsed file: `virtual`, by name. */
export function readVirtual(value: unknown, file: string): VirtualServers {
  const virtual = isObject(value) ? value.virtual : undefined
  if (virtual === undefined) return { views: [], problems: [] }
  if (typeof virtual === 'string' || Array.isArray(virtual)) return readShort([virtual].flat(), file)
  if (!isObject(virtual))
    return { views: [], problems: [`${file}: 'virtual' must be an object of selections, by name`] }
  const problems: string[] = []
  const views = Object.entries(virtual).flatMap(([name, entry]) => {
    const wrong: string[] = []
    const view = readOne(name, entry, wrong)
    problems.push(...wrong.map(problem => `${file}: virtual server '${name.slice(0, 100)}': ${problem}`))
    return view && wrong.length === 0 ? [view] : []
  })
  return { views, problems }
}

/** As a command line has them: `NAME=PATTERN+PATTERN`. */
function readShort(values: readonly unknown[], file: string): VirtualServers {
  const read = values
    .flatMap(value => (typeof value === 'string' ? value.split(',').map(part => part.trim()) : [value]))
    .map(value => ({ value, view: typeof value === 'string' ? parseVirtual(value) : undefined }))
  const wrong = read.filter(({ view }) => view === undefined)
  return {
    views: read.flatMap(({ view }) => view ?? []),
    problems: wrong.map(
      ({ value }) =>
        `${file}: 'virtual' must be an object of selections by name, or texts such as docs=read_*+search_*, got ${JSON.stringify(value).slice(0, 100)}`,
    ),
  }
}

function readOne(name: string, entry: unknown, problems: string[]): View | undefined {
  if (!NAME.test(name)) problems.push('its name must be up to 64 letters, digits, _ . or -')
  if (!isObject(entry)) return void problems.push('must be an object with "tools", "prompts" or "resources"')
  for (const key of Object.keys(entry)) {
    if (KEYS.includes(key)) continue
    problems.push([`unknown key '${key.slice(0, 100)}'.`, didYouMean(key, KEYS)].filter(Boolean).join(' '))
  }
  const selection = {
    tools: list(entry.tools, 'tools', problems),
    prompts: list(entry.prompts, 'prompts', problems),
    resources: list(entry.resources, 'resources', problems),
    exclude: list(entry.exclude, 'exclude', problems),
    instructions: text(entry.instructions, 'instructions', problems),
  }
  const { tools, prompts, resources } = selection
  if (tools.length + prompts.length + resources.length === 0)
    problems.push('selects nothing: give "tools", "prompts" or "resources" as a list of patterns, ["*"] for all')
  return viewOf(name, selection)
}

/** What a virtual server has: patterns of names and URIs, in which `*` stands for anything. */
export interface Selection {
  readonly tools: readonly string[]
  readonly prompts?: readonly string[]
  readonly resources?: readonly string[]
  /** Left out whatever else is said. */
  readonly exclude?: readonly string[]
  readonly instructions?: string | undefined
}

/** A virtual server as a view of all there is. */
export function viewOf(name: string, selection: Selection): View {
  const { tools, prompts = [], resources = [], exclude = [], instructions } = selection
  const patterns = { tools, prompts, resources, templates: resources }
  return {
    name,
    instructions,
    offers: (kind, key) =>
      patterns[kind].some(pattern => fitsPattern(key, pattern)) && !exclude.some(pattern => fitsPattern(key, pattern)),
  }
}

/** `NAME=PATTERN+PATTERN` as a command line has it; undefined if it is none. */
export function parseVirtual(value: string): View | undefined {
  const [, name = '', patterns = ''] = /^([^=]+)=(.+)$/s.exec(value) ?? []
  const tools = patterns.split('+').filter(pattern => pattern !== '')
  return NAME.test(name) && tools.length > 0 ? viewOf(name, { tools }) : undefined
}
