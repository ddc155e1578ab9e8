import { basename, resolve } from 'node:path'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Call, Entry, Log, Result, Shelf, Source } from '@causeway/engine'
import { SKILL_FILE, mediaTypeOf } from '@causeway/engine/internal'
import { createJail } from '../support/files/jail.ts'
import { FollowedFolders } from './followed-folders.ts'
import { SkillFolder } from './skill-folder.ts'

/** The folder of the skills that come with this package: beside the source, and copied beside the build. */
export const ownSkills: string = fileURLToPath(new URL('./own-skills/', import.meta.url))

/** Which skills are served. */
export interface SkillsOptions {
  /** Folders of skills: each folder in them that has a SKILL.md is one, at any depth. A folder that has one itself is one skill. */
  readonly folders: readonly string[]
  /** Notice when files change. Default: yes. */
  readonly watch?: boolean
  /** Is told of skills that are left out, and why. */
  readonly log?: Log
}

/** Skills from folders, for `server.mount`. */
export interface SkillsSource extends Source {
  readonly skills: Shelf<Entry>
  readonly resources: Shelf<Entry>
  /** Look at the folders again. */
  refresh(): Promise<void>
  /** Watch them no longer. */
  close(): void
}

/** The skills in folders, as a source; a folder that cannot be read throws, a skill that cannot be served is logged and left out. */
export async function skills({ folders, watch = true, log = () => {} }: SkillsOptions): Promise<SkillsSource> {
  const listeners = new Set<() => void>()
  const all = folders.map(folder => new SkillFolder(createJail([folder]), aboveOf(folder), () => refresh()))
  const served = new ServedSkills(all, log)
  await served.refresh()
  const followed = watch ? new FollowedFolders(() => refresh().catch(() => {})) : undefined
  followed?.follow(served.folders)
  const refresh = async (): Promise<void> => {
    const hasChanged = await served.refresh()
    followed?.follow(served.folders)
    if (hasChanged) for (const listener of listeners) listener()
  }
  const listen = (changed: () => void): (() => void) => {
    listeners.add(changed)
    return () => void listeners.delete(changed)
  }
  return {
    name: 'skills',
    skills: { shared: true, listen, list: () => served.skills, find: uri => served.skill(uri) },
    resources: { shared: true, listen, list: () => served.listed, find: uri => served.file(uri) },
    refresh,
    close: () => followed?.close(),
  }
}

/** A folder that is itself a skill has its own name in the URI. */
const aboveOf = (folder: string): readonly string[] =>
  existsSync(resolve(folder, SKILL_FILE)) ? [basename(resolve(folder))] : []

/** The skills of several folders as one. */
class ServedSkills {
  readonly #folders: readonly SkillFolder[]
  readonly #log: Log
  skills: readonly Entry[] = []
  /** The resources that are listed: one for each skill. */
  listed: readonly Entry[] = []
  #shown = ''
  #told = ''

  constructor(folders: readonly SkillFolder[], log: Log) {
    this.#folders = folders
    this.#log = log
  }

  get folders(): readonly string[] {
    return this.#folders.flatMap(folder => folder.now.folders)
  }

  skill(uri: string): Entry | undefined {
    return this.skills.find(({ key }) => key === uri)
  }

  /** Any file of a skill, listed or not. */
  file(uri: string): Entry | undefined {
    const folder = this.#folders.find(({ now }) => now.files.has(uri))
    if (!folder) return undefined
    const listed = this.listed.find(({ key }) => key === uri)
    return listed ?? { key: uri, info: { uri, name: nameOf(uri) }, run: call => folder.read(call, uri) }
  }

  /** True if something is not what it was. */
  async refresh(): Promise<boolean> {
    await Promise.all(this.#folders.map(folder => folder.refresh()))
    const taken = new Set<string>()
    const problems: string[] = []
    const entries = this.#folders.flatMap(folder =>
      folder.now.skills.flatMap(skill => {
        if (taken.has(skill.uri)) problems.push(`${skill.uri} is in two of the folders; the first one is served`)
        const isFirst = !taken.has(skill.uri)
        taken.add(skill.uri)
        return isFirst ? [{ skill, folder }] : []
      }),
    )
    this.#report([...this.#folders.flatMap(({ now }) => now.problems), ...problems])
    const shown = JSON.stringify(entries.map(({ skill }) => skill))
    if (shown === this.#shown) return false
    this.#shown = shown
    this.skills = entries.map(({ skill }) => ({ key: skill.uri, info: { ...skill }, run: notDynamic }))
    this.listed = entries.map(({ skill: { uri, frontmatter, resources }, folder }) => ({
      key: uri,
      info: {
        uri,
        name: frontmatter.name,
        description: frontmatter.description,
        mimeType: mediaTypeOf(uri),
        ...(resources !== 'dynamic' && { size: resources.find(file => file.uri === uri)?.size }),
      },
      run: (call: Call): Promise<Result> => folder.read(call, uri),
    }))
    return true
  }

  #report(problems: readonly string[]): void {
    const told = problems.join('\n')
    if (told === this.#told) return
    this.#told = told
    for (const problem of problems) this.#log('error', 'a skill is left out', { problem })
  }
}

const nameOf = (uri: string): string => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))

const notDynamic = (): never => {
  throw new TypeError('The directories of these skills follow from their files')
}
