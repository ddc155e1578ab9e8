import { SKILL_FILE, SKILL_LIMITS, digestOf, readFrontMatter, skillProblem } from '@causeway/engine/internal'
import type { Skill, SkillFile } from '@causeway/engine'
import { readAll, reading } from '../support/files/file.ts'
import type { Jail } from '../support/files/jail.ts'
import { quote } from '../support/quote.ts'
import { readTree } from './tree.ts'
import type { Tree, TreeFile } from './tree.ts'

/** A file of a skill, and where it is. */
export interface ServedFile extends SkillFile {
  /** From the folder of skills. */
  readonly path: string
}

/** The skills of a folder at one moment. */
export interface Scanned {
  readonly skills: readonly Skill[]
  readonly files: ReadonlyMap<string, ServedFile>
  readonly folders: readonly string[]
  /** Why skills are left out, a line each. */
  readonly problems: readonly string[]
}

const MOST_SKILLS = 1000
// The beginning of a file, which has all of its front matter.
const BEGINNING = 64 * 1024
const LONGEST_DESCRIPTION = 1024

/** Digests of files as they were, by path. */
type Digests = Map<string, { readonly stamp: string; readonly digest: string }>

/** Finds the skills of a folder again and again; a file that did not change is not read again. */
export class Scanner {
  readonly #jail: Jail
  /** What stands before the path of each, where the folder itself is a skill. */
  readonly #above: readonly string[]
  #digests: Digests = new Map()

  constructor(jail: Jail, above: readonly string[]) {
    this.#jail = jail
    this.#above = above
  }

  async scan(): Promise<Scanned> {
    const tree = await readTree(this.#jail)
    const found: Skill[] = []
    const files = new Map<string, ServedFile>()
    const problems: string[] = []
    const known = this.#digests
    this.#digests = new Map()
    for (const main of tree.files.filter(({ segments }) => segments.at(-1) === SKILL_FILE)) {
      try {
        if (found.length === MOST_SKILLS) throw new Error(`there are more than ${MOST_SKILLS} skills`)
        const own = await this.#files(main, tree, known)
        found.push(await this.#skill(main, own))
        for (const file of own) files.set(file.uri, file)
      } catch (error) {
        const folder = [...this.#above, ...main.segments.slice(0, -1)].join('/')
        problems.push(`${quote(folder)}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    problems.push(...outside(tree))
    return { skills: found, files, folders: tree.folders, problems }
  }

  /** The bytes of a file as they are now. */
  read(path: string): Promise<Buffer> {
    return this.#jail.at({ path }, async place => {
      const bytes = await reading(place, file => readAll(file, SKILL_LIMITS.bytes))
      if (!bytes) throw new Error(`${quote(path)} is larger than ${SKILL_LIMITS.bytes} bytes`)
      return bytes
    })
  }

  /** Every file in the folder of a SKILL.md; too many, too large or unusable ones throw before one is read. */
  async #files(main: TreeFile, { files, problems }: Tree, known: Digests): Promise<ServedFile[]> {
    const folder = main.segments.slice(0, -1)
    const isIn = ({ segments }: { readonly segments: readonly string[] }): boolean =>
      folder.every((name, i) => segments[i] === name)
    const problem = problems.find(isIn)
    if (problem) throw new Error(`${quote(problem.segments.join('/'))} cannot be served: ${problem.why}`)
    const own = files.filter(isIn)
    const size = own.reduce((sum, file) => sum + file.size, 0)
    if (own.length > SKILL_LIMITS.files)
      throw new Error(`it has ${own.length} files; ${SKILL_LIMITS.files} are allowed`)
    if (size > SKILL_LIMITS.bytes) throw new Error(`its files have ${size} bytes; ${SKILL_LIMITS.bytes} are allowed`)
    const served: ServedFile[] = []
    for (const file of own) served.push(await this.#served(file, known))
    return served
  }

  async #served({ segments, stamp, size }: TreeFile, known: Digests): Promise<ServedFile> {
    const path = segments.join('/')
    const uri = this.#uriOf(segments)
    const same = this.#digests.get(path) ?? known.get(path)
    if (same?.stamp === stamp) {
      this.#digests.set(path, same)
      return { uri, path, size, digest: same.digest }
    }
    const bytes = await this.read(path)
    const digest = digestOf(bytes)
    // One that was being written is read again next time.
    if (bytes.length === size) this.#digests.set(path, { stamp, digest })
    return { uri, path, size: bytes.length, digest }
  }

  async #skill(main: TreeFile, files: readonly ServedFile[]): Promise<Skill> {
    const uri = this.#uriOf(main.segments)
    const bytes = await this.read(main.segments.join('/'))
    // Of a file that does not end its front matter, only the beginning is looked at.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, BEGINNING))
    const { parse } = await import('yaml')
    const frontmatter = readFrontMatter(text, yaml => parse(yaml, { logLevel: 'error' }) as unknown)
    const resources = files.map(({ uri: file, digest, size }) => ({ uri: file, digest, size }))
    if (files.find(one => one.uri === uri)?.digest !== digestOf(bytes)) throw new Error('it changed while it was read')
    const skill = { uri, frontmatter, resources }
    const why = skillProblem(skill) ?? descriptionProblem(frontmatter.description)
    if (why !== undefined) throw new Error(why)
    return skill as unknown as Skill
  }

  #uriOf(segments: readonly string[]): string {
    return `skill://${[...this.#above, ...segments].map(encodeURIComponent).join('/')}`
  }
}

function descriptionProblem(description: unknown): string | undefined {
  const { length } = String(description)
  return length > LONGEST_DESCRIPTION
    ? `its description has ${length} characters; ${LONGEST_DESCRIPTION} are allowed`
    : undefined
}

/** What cannot be taken and is in no skill: it may have been meant as one. */
const outside = ({ files, problems }: Tree): string[] => {
  const skills = files
    .filter(({ segments }) => segments.at(-1) === SKILL_FILE)
    .map(({ segments }) => segments.slice(0, -1))
  return problems
    .filter(({ segments }) => !skills.some(folder => folder.every((name, i) => segments[i] === name)))
    .map(({ segments, why }) => `${quote(segments.join('/'))} ${why}`)
}
