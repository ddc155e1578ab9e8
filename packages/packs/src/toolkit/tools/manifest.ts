import { join } from 'node:path'
import { readBounded } from '../../support/files/file.ts'
import type { Jail } from '../../support/files/jail.ts'

const LARGEST = 1024 * 1024

/** A small file at the top of a project; nothing if there is none that may be read. */
export async function readBeside(jail: Jail, project: string, name: string): Promise<string> {
  try {
    const path = await jail.resolve(join(project, name), 'project_path')
    return (await readBounded(path, LARGEST)).toString()
  } catch {
    return ''
  }
}
