import { isObject } from '../support/is-object.ts'
import { jsonSize } from '../support/json-size.ts'
import { LONGEST_JSON } from './front-matter.ts'

/** The id of the skills extension. */
export const SKILLS = 'io.modelcontextprotocol/skills'
/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md'
/** How many files a skill may have, and how many bytes together: what every client can take. */
export const SKILL_LIMITS: { readonly files: number; readonly bytes: number } = { files: 512, bytes: 16 * 1024 * 1024 }

/** A file of a skill. */
export interface SkillFile {
  readonly uri: string
  /** `sha256:` and 64 hexadecimal digits, of the bytes that `resources/read` gives. */
  readonly digest: string
  readonly size: number
}

/** What is said of a skill before any of its files is read. */
export interface Skill {
  /** The URI of its SKILL.md. */
  readonly uri: string
  /** The front matter of SKILL.md as its author wrote it, as JSON. */
  readonly frontmatter: Readonly<Record<string, unknown>> & { readonly name: string; readonly description: string }
  /** Every file, those of nested skills too; `dynamic` where the contents are made when they are read. */
  readonly resources: readonly SkillFile[] | 'dynamic'
}

const NAME = /^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u
const LONGEST_NAME = 64
const LONGEST_URI = 4096
// How many folders deep a URI may be: each of them is looked up.
const MOST_SEGMENTS = 64
const DIGEST = /^sha256:[\da-f]{64}$/
const SCHEME = /^[a-z][a-z\d+.-]*:\/\/(?=[^/])/
// What would end a path, stand for another one, or cannot be seen.
const NO_PATH = /[?#\\\s\p{C}]/u

/** Is it a name that a skill may have? */
export const isSkillName = (name: string): boolean => name.length <= LONGEST_NAME && NAME.test(name)

/** The folder of a skill, as a URI without a slash at its end. */
export const rootOf = (uri: string): string => uri.slice(0, -SKILL_FILE.length - 1)

/** Is the URI that of the folder, or of something in it? */
export const isWithin = (uri: string, root: string): boolean => uri === root || uri.startsWith(`${root}/`)

/** Why a value cannot be the entry of a skill; undefined if it can. */
export function skillProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not an object'
  const { uri, resources } = value
  if (typeof uri !== 'string' || !isPlainUri(uri) || !uri.endsWith(`/${SKILL_FILE}`))
    return `its "uri" is not that of a ${SKILL_FILE}`
  const why = frontMatterProblem(value.frontmatter, rootOf(uri))
  if (why !== undefined || resources === 'dynamic') return why
  return Array.isArray(resources) ? filesProblem(resources, uri) : 'its "resources" are neither a list nor "dynamic"'
}

function frontMatterProblem(frontmatter: unknown, root: string): string | undefined {
  if (!isObject(frontmatter)) return 'it has no "frontmatter"'
  if (jsonSize(frontmatter, LONGEST_JSON) > LONGEST_JSON) return 'its front matter is too long'
  const { name, description } = frontmatter
  if (typeof name !== 'string' || !isSkillName(name)) return `${shown(name)} is not a name that a skill may have`
  if (typeof description !== 'string' || description.trim() === '') return 'its front matter has no "description"'
  return lastSegment(root) === name ? undefined : `its folder is not called '${name}', as its front matter says`
}

function filesProblem(files: readonly unknown[], uri: string): string | undefined {
  const { files: most, bytes } = SKILL_LIMITS
  if (files.length > most) return `it has ${files.length} files; ${most} are allowed`
  const root = rootOf(uri)
  const seen = new Set<string>()
  let size = 0
  for (const file of files) {
    if (!isObject(file) || typeof file.uri !== 'string') return 'one of its files has no "uri"'
    const why = fileProblem(file, root)
    if (why !== undefined) return `its file ${shown(file.uri)} ${why}`
    if (seen.has(file.uri)) return `its file ${shown(file.uri)} is listed twice`
    seen.add(file.uri)
    size += Number(file.size)
  }
  if (size > bytes) return `its files have ${size} bytes; ${bytes} are allowed`
  return seen.has(uri) ? undefined : `its files lack ${SKILL_FILE}`
}

function fileProblem({ uri, digest, size }: Readonly<Record<string, unknown>>, root: string): string | undefined {
  if (typeof uri !== 'string' || uri === root || !isWithin(uri, root) || !isPlainUri(uri)) return 'is not in its folder'
  if (typeof digest !== 'string' || !DIGEST.test(digest)) return 'has no digest such as sha256:…'
  return Number.isSafeInteger(size) && Number(size) >= 0 ? undefined : 'has no size'
}

/** Has the URI a path whose segments all stand for themselves? */
function isPlainUri(uri: string): boolean {
  const scheme = SCHEME.exec(uri)?.[0]
  if (scheme === undefined || uri.length > LONGEST_URI || NO_PATH.test(uri)) return false
  const segments = uri.slice(scheme.length).split('/')
  return segments.length <= MOST_SEGMENTS && segments.every(segment => segment !== '' && isPlainName(decoded(segment)))
}

const isPlainName = (name: string | undefined): boolean =>
  name !== undefined && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\\')

const lastSegment = (uri: string): string | undefined => decoded(uri.slice(uri.lastIndexOf('/') + 1))

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? `'${value.slice(0, 100)}'` : typeof value)
