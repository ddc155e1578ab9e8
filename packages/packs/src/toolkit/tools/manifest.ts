import { join } from 'node:path'
import { readAll, reading } from '../../support/file.ts'
import type { Jail } from '../../support/jail.ts'

const LARGEST = 1024 * 1024

/** A small file at the top of a project; nothing if there is none that may be read. */
export async function readBeside(jail: Jail, project: string, name: string): Promise<string> {
  try {
    const asked = { path: join(project, name), argument: 'project_path' }
    const bytes = await jail.at(asked, place => reading(place, file => readAll(file, LARGEST)))
    return bytes?.toString() ?? ''
  } catch {
    return ''
  }
}
