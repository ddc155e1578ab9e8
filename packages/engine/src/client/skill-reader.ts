import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import { hasFrontMatter } from '../skills/front-matter.ts'
import type { ParseYaml } from '../skills/front-matter.ts'
import { SKILLS, skillProblem } from '../skills/skill.ts'
import type { Skill } from '../skills/skill.ts'
import { bytesIn, mismatch } from '../skills/verify.ts'
import { jsonSize } from '../support/json-size.ts'
import type { RemoteServer } from './remote-server.ts'

/** How skills are read. */
export interface SkillReaderOptions {
  /** Reads the YAML of front matter, such as `parse` of the package yaml. */
  readonly parse: ParseYaml
  /** Is told of an entry that cannot be used, and why; it is left out. */
  readonly onInvalid?: (uri: unknown, why: string) => void
}

/** The skills of a server. Nothing of a skill is read before it is asked for, and nothing is given that does not fit its digest. */
export interface SkillReader {
  /** What the server lists; it may have others. */
  list(): Promise<readonly Skill[]>
  /** What is said of one skill, listed or not, by the URI of its SKILL.md. */
  get(uri: string): Promise<Skill>
  /** The text of a SKILL.md, whose front matter is the one that was listed. */
  load(skill: Skill): Promise<string>
  /** One file of a skill; one that the entry does not list is refused. */
  read(skill: Skill, uri: string): Promise<Uint8Array>
}

const MOST_PAGES = 1000
const LONGEST_LIST = 64 * 1024 * 1024

/** Read the skills of a server as clients have to: verified, and not before they are needed. */
export function skillReader(server: RemoteServer, options: SkillReaderOptions): SkillReader {
  const read: SkillReader['read'] = async (skill, uri) => {
    const file = skill.resources === 'dynamic' ? undefined : skill.resources.find(one => one.uri === uri)
    if (skill.resources !== 'dynamic' && !file) throw refusal(uri, 'the skill does not list it; get the skill again')
    const bytes = bytesIn((await server.request('resources/read', { uri })).contents)
    if (!bytes) throw refusal(uri, 'the server did not return the contents of one file')
    const why = file && mismatch(file, bytes)
    if (why !== undefined) throw refusal(uri, `${why}; get the skill again`)
    return bytes
  }
  return {
    read,
    list: () => listAll(server, options),
    async get(uri) {
      checkOffered(server)
      const { skill } = await server.request('skills/get', { uri })
      const why = skillProblem(skill)
      if (why !== undefined) throw refusal(uri, why)
      if ((skill as Skill).uri !== uri) throw refusal(uri, 'the server returned another skill')
      return skill as Skill
    },
    async load(skill) {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await read(skill, skill.uri))
      if (!hasFrontMatter(text, skill.frontmatter, options.parse))
        throw refusal(skill.uri, 'its front matter is not what was listed')
      return text
    },
  }
}

async function listAll(server: RemoteServer, { onInvalid }: SkillReaderOptions): Promise<readonly Skill[]> {
  checkOffered(server)
  const skills = new Map<string, Skill>()
  const seen = new Set<unknown>()
  let params: Params = {}
  let left = LONGEST_LIST
  for (let page = 0; page < MOST_PAGES; page++) {
    const { skills: listed, nextCursor } = await server.request('skills/list', params)
    left -= jsonSize(listed, left)
    if (left < 0) throw new Error('The list of the server is too long: skills/list has more than 64 MB')
    for (const one of Array.isArray(listed) ? (listed as unknown[]) : []) {
      const why = skillProblem(one)
      if (why === undefined) skills.set((one as Skill).uri, one as Skill)
      else onInvalid?.(isObject(one) ? one.uri : undefined, why)
    }
    if (typeof nextCursor !== 'string' || seen.has(nextCursor)) break
    seen.add(nextCursor)
    params = { cursor: nextCursor }
  }
  return [...skills.values()]
}

function checkOffered({ capabilities: { extensions } }: RemoteServer): void {
  if (isObject(extensions) && Object.hasOwn(extensions, SKILLS)) return
  throw new Error(`The server has no skills: it does not declare the extension ${SKILLS}`)
}

const refusal = (uri: string, why: string): Error => new Error(`The file ${uri.slice(0, 200)} cannot be used: ${why}`)
