import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as Yaml from 'yaml'
import { readTemplate } from './header.ts'
import type { FileTemplate } from './template.ts'

const ENDING = '.liquid'
const SEGMENT = /^[a-z0-9][a-z0-9-]*$/
const DOCUMENTED = ['makefile', 'readme', 'gitignore']
const CATEGORIES = [...DOCUMENTED, 'ci', 'dockerfile', 'editorconfig', 'license']
const TOOLCHAINS = ['rust', 'deno', 'python-uv', 'node', 'go', 'any']

/** Read the templates of a folder, which are `CATEGORY/TOOLCHAIN/VARIANT.liquid`; a malformed one is an error that names it. */
export function readTemplates(folder: string): FileTemplate[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`Templates: ${folder} is no directory`)
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml
  const templates = below(folder).flatMap(category =>
    below(join(folder, category)).flatMap(toolchain =>
      readdirSync(join(folder, category, toolchain))
        .filter(file => file.endsWith(ENDING))
        .map(file => {
          const variant = file.slice(0, -ENDING.length)
          const path = join(folder, category, toolchain, file)
          return readOne(path, { category, toolchain, variant }, yaml.parse)
        }),
    ),
  )
  return templates.sort((a, b) => placeOf(a) - placeOf(b) || (a.uri < b.uri ? -1 : 1))
}

const below = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)

type Place = Pick<FileTemplate, 'category' | 'toolchain' | 'variant'>

function readOne(path: string, place: Place, parse: (yaml: string) => unknown): FileTemplate {
  try {
    const bad = Object.values(place).find(segment => !SEGMENT.test(segment))
    if (bad !== undefined) throw new Error(`'${bad}' may only have small letters, digits and dashes`)
    const { header, body } = readTemplate(readFileSync(path, 'utf8'), parse)
    return { uri: uriOf(place), ...place, ...header, body }
  } catch (cause) {
    throw new Error(`Template ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The URI of a template. */
export const uriOf = ({ category, toolchain, variant }: Place): string =>
  `template://${category}/${toolchain}/${variant}`

/** Ours in the documented order, others behind. */
function placeOf({ category, toolchain }: Place): number {
  const rank = (list: readonly string[], item: string): number =>
    list.includes(item) ? list.indexOf(item) : list.length
  return rank(TOOLCHAINS, toolchain) * (CATEGORIES.length + 1) + rank(CATEGORIES, category)
}

/** What may be chosen about the templates. */
export interface CatalogOptions {
  /** More folders, whose templates replace ours under the same URI. */
  readonly folders?: readonly string[]
  /** Of ours only the documented kinds. */
  readonly documented?: boolean
}

/** Our templates, and those of more folders. */
export function loadCatalog(
  own: string,
  { folders = [], documented = false }: CatalogOptions = {},
): readonly FileTemplate[] {
  // The build leaves all of ours in one JSON file, so that a server starts without reading YAML.
  const compiled = join(own, 'index.json')
  const ours = existsSync(compiled)
    ? (JSON.parse(readFileSync(compiled, 'utf8')) as FileTemplate[])
    : readTemplates(own)
  const shown = documented ? ours.filter(({ category }) => DOCUMENTED.includes(category)) : ours
  const all = new Map([...shown, ...folders.flatMap(readTemplates)].map(template => [template.uri, template]))
  return [...all.values()]
}
