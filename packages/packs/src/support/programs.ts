import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Where a program of a name was found: outside of the roots, or only inside of them. */
export interface Found {
  /** Its path outside of every root. */
  readonly program?: string
  /** The first file of that name that lies in a root, where anything may have put it. */
  readonly inside?: string
}

const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', '.com', ''] : ['']

/** Look for a program in the folders of a search path; neither it nor what it links to may lie where `holds` says. */
export async function findProgram(name: string, path: string, holds: (real: string) => boolean): Promise<Found> {
  let inside: string | undefined
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue
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
