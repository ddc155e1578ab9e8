import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Jail } from '../../support/jail.ts'

const LARGEST = 1024 * 1024

/** A small file at the top of a project; nothing if there is none that may be read. */
export async function readBeside(jail: Jail, project: string, name: string): Promise<string> {
  try {
    const path = await jail.resolve(join(project, name), 'project_path')
    const { size } = await stat(path)
    return size > LARGEST ? '' : await readFile(path, 'utf8')
  } catch {
    return ''
  }
}
