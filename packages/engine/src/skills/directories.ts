import type { Entry } from '../catalog/shelf.ts'
import { mediaTypeOf } from './media-type.ts'
import { SKILL_FILE, isWithin, rootOf } from './skill.ts'
import type { Skill } from './skill.ts'

const DIRECTORY = 'inode/directory'
const UNSEEN = /\p{C}/u

/**
 * What a directory of listed skills has, which follows from the files that each says it has; undefined where nothing is in
 * it. The root of a scheme is none. Only this one is looked at: together, directories may be more than memory holds.
 */
export function directoryAt(skills: readonly Entry[], uri: string): readonly Entry[] | undefined {
  if (uri.endsWith('/') || !uri.includes('://')) return undefined
  const children = new Map<string, Entry>()
  for (const { info } of skills) {
    for (const file of filesBelow(uri, info as unknown as Skill)) {
      const end = file.uri.indexOf('/', uri.length + 1)
      const child = end < 0 ? file.uri : file.uri.slice(0, end)
      if (!children.has(child))
        children.set(child, end < 0 ? fileEntry(child, file.size, skills) : directoryEntry(child))
    }
  }
  return children.size > 0 ? [...children.values()] : undefined
}

function filesBelow(
  directory: string,
  { uri, resources }: Skill,
): readonly { readonly uri: string; readonly size: number | undefined }[] {
  const root = rootOf(uri)
  if (!isWithin(directory, root) && !isWithin(root, directory)) return []
  // Of a dynamic skill nothing more is known than that it has a SKILL.md.
  const files = resources === 'dynamic' ? [{ uri, size: undefined }] : resources
  return files.filter(file => file.uri.startsWith(`${directory}/`))
}

/** The skill whose directories only its own server knows, if the URI is one of them. */
export const dynamicAt = (skills: readonly Entry[], uri: string): Entry | undefined =>
  skills.find(({ key, info }) => info.resources === 'dynamic' && isWithin(uri, rootOf(key)))

function fileEntry(uri: string, size: number | undefined, skills: readonly Entry[]): Entry {
  const file = nameOf(uri)
  const mimeType = mediaTypeOf(file)
  const skill = file === SKILL_FILE ? skills.find(({ key }) => key === uri) : undefined
  const { name = file, description } = (skill?.info as unknown as Skill | undefined)?.frontmatter ?? {}
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
    const name = decodeURIComponent(segment)
    // What cannot be seen stays as it is written.
    return UNSEEN.test(name) ? segment : name
  } catch {
    return segment
  }
}
