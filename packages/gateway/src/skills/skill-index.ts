import type { Info, Skill, SkillFile } from '@causeway/engine'
import { isWithin, rootOf } from '@causeway/engine/internal'

/** What is known of a file of a server's skills. */
export interface KnownFile {
  /** As its skill lists it; undefined in a dynamic skill, which lists none. */
  readonly file: SkillFile | undefined
  readonly skill: Skill
}

/** The files of a server's skills, by the server's own URIs. */
export class SkillIndex {
  readonly #files = new Map<string, KnownFile>()
  readonly #skills: readonly Skill[]

  /** Where skills that may be used list a file, they come before those that may not. */
  constructor(skills: readonly Skill[], isHeld: (skill: Skill) => boolean) {
    this.#skills = skills
    for (const skill of [...skills].sort((a, b) => Number(isHeld(a)) - Number(isHeld(b)))) {
      for (const file of skill.resources === 'dynamic' ? [] : skill.resources)
        if (!this.#files.has(file.uri)) this.#files.set(file.uri, { file, skill })
    }
  }

  /** A file that a skill lists, or one in the folder of a dynamic skill. */
  find(uri: string): KnownFile | undefined {
    const listed = this.#files.get(uri)
    if (listed) return listed
    const skill = this.#skills.find(one => one.resources === 'dynamic' && isWithin(uri, rootOf(one.uri)))
    return skill && { file: undefined, skill }
  }
}

/** An entry with its URIs in the folder that it has here; everything else in it stays as its server wrote it. */
export function shownSkill(skill: Skill, folder: string): Info {
  const { uri, resources } = skill
  const own = rootOf(uri)
  const shown = (one: string): string => folder + one.slice(own.length)
  const files =
    resources === 'dynamic' ? resources : resources.map(file => Object.assign({}, file, { uri: shown(file.uri) }))
  return { ...skill, uri: shown(uri), resources: files }
}
