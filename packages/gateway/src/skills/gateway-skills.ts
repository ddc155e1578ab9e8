import type { Info } from '@causeway/engine'
import { SKILL_FILE, rootOf } from '@causeway/engine/internal'
import { SkillNames } from './skill-names.ts'

/** A server that may have skills. */
interface SkillHolder {
  readonly name: string
  readonly skills: { has(uri: string): Promise<boolean> }
  /** Show what is known of it again. */
  showAgain(): void
}

const MOST_ASKED = 16

/** What the skills of all servers have to do with each other. */
export class GatewaySkills {
  readonly names: SkillNames = new SkillNames()
  readonly #servers: () => Iterable<SkillHolder>

  constructor(servers: () => Iterable<SkillHolder>) {
    this.#servers = servers
  }

  /** Skills among these resources are our own. */
  reserve(resources: readonly Info[]): void {
    const mains = resources.map(({ uri }) => String(uri)).filter(uri => uri.endsWith(`/${SKILL_FILE}`))
    this.names.reserve(mains.map(rootOf))
  }

  /** A server is no longer served. */
  gone(server: string): void {
    if (this.names.delete(server)) this.showAgain(server)
  }

  /** Skills of all servers but this one may have other URIs. */
  showAgain(server: string): void {
    for (const other of this.#servers()) if (other.name !== server) other.showAgain()
  }

  /** The servers other than this one that have a skill at that URI, listed or not. */
  async others(uri: string, server: string): Promise<readonly string[]> {
    const all = [...this.#servers()].filter(({ name }) => name !== server).slice(0, MOST_ASKED)
    const found = await Promise.all(all.map(async one => ((await one.skills.has(uri)) ? one.name : undefined)))
    return found.filter(name => name !== undefined)
  }
}
