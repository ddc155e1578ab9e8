import type { Entry } from '../catalog/shelf.ts'
import { mediaTypeOf } from './media-type.ts'
import { SKILL_FILE, isWithin, rootOf } from './skill.ts'
import type { Skill } from './skill.ts'

const DIRECTORY = 'inode/directory'

/** What each directory has, by its URI; the root of a scheme is none. */
export type Directories = ReadonlyMap<string, readonly Entry[]>

const made = new WeakMap<readonly Entry[], Directories>()

/** The directories of listed skills, which follow from the files that each says it has; made once for each list. */
export function directoriesOf(skills: readonly Entry[]): Directories {
  const known = made.get(skills)
  if (known) return known
  const found = new Map<string, Map<string, Entry>>()
  const described = new Map(skills.map(({ key, info }) => [key, info as unknown as Skill]))
  for (const { info } of skills) {
    const { uri, resources } = info as unknown as Skill
    // Of a dynamic skill nothing more is known than that it has a SKILL.md.
    const files = resources === 'dynamic' ? [{ uri, size: undefined }] : resources
    for (const file of files) place(found, file.uri, fileEntry(file.uri, file.size, described.get(file.uri)))
  }
  const directories = new Map([...found].map(([uri, children]) => [uri, [...children.values()]] as const))
  made.set(skills, directories)
  return directories
}

/** The skill whose directories only its own server knows, if the URI is one of them. */
export const dynamicAt = (skills: readonly Entry[], uri: string): Entry | undefined =>
  skills.find(({ key, info }) => info.resources === 'dynamic' && isWithin(uri, rootOf(key)))

/** Put a file into its directory, and that into the one above. */
function place(found: Map<string, Map<string, Entry>>, uri: string, entry: Entry): void {
  const above = uri.slice(0, uri.lastIndexOf('/'))
  if (above.endsWith('/') || !above.includes('://')) return
  const children = found.get(above)
  if (children) {
    // The entry of the skill itself says more than that of the one around it.
    if (!children.has(uri) || entry.info.description !== undefined) children.set(uri, entry)
    return
  }
  found.set(above, new Map([[uri, entry]]))
  place(found, above, directoryEntry(above))
}

function fileEntry(uri: string, size: number | undefined, skill: Skill | undefined): Entry {
  const file = nameOf(uri)
  const mimeType = mediaTypeOf(file)
  const { name = file, description } = file === SKILL_FILE ? (skill?.frontmatter ?? {}) : {}
  const info = {
    uri,
    name,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  }
  return { key: uri, info, run: nothing }
}

const directoryEntry = (uri: string): Entry => ({
  key: uri,
  info: { uri, name: nameOf(uri), mimeType: DIRECTORY },
  run: nothing,
})

/** It is listed, and read as the resource that it is. */
const nothing = (): never => {
  throw new TypeError('An entry of a directory is not run')
}

function nameOf(uri: string): string {
  const segment = uri.slice(uri.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
