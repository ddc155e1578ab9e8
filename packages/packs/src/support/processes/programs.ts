import { constants, realpathSync } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Where a program of a name was found: outside of the roots, or only inside of them. */
export interface FoundProgram {
  /** Its path outside of every root. */
  readonly program?: string
  /** The first file of that name that lies in a root, where anything may have put it. */
  readonly inside?: string
}

const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', '.com', ''] : ['']

/** Tells whether a real path lies in a root. */
export type Holds = (real: string) => boolean

/** Does a folder of the search path lie outside of the roots, by its name and in fact? */
export const isOutside =
  (holds: Holds) =>
  (folder: string): boolean => {
    try {
      return !holds(folder) && !holds(realpathSync.native(folder))
    } catch {
      return !holds(folder)
    }
  }

/**
 * Look for a program in the folders of a search path; neither it nor what it links to may lie in a root. Where every
 * folder does, the roots are the whole machine, and its programs are meant.
 */
export async function findProgram(name: string, path: string, inRoots: Holds): Promise<FoundProgram> {
  let inside: string | undefined
  const folders = path.split(delimiter).filter(folder => isAbsolute(folder))
  const holds = folders.some(isOutside(inRoots)) ? inRoots : () => false
  for (const folder of folders) {
    for (const ending of ENDINGS) {
      const program = join(folder, name + ending)
      const real = await executable(program)
      if (real === undefined) continue
      if (!holds(program) && !holds(real)) return { program, ...(inside !== undefined && { inside }) }
      inside ??= program
    }
  }
  return inside === undefined ? {} : { inside }
}

async function executable(program: string): Promise<string | undefined> {
  try {
    await access(program, constants.X_OK)
    return (await stat(program)).isFile() ? await realpath(program) : undefined
  } catch {
    return undefined
  }
}
