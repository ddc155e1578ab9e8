import { readFile, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** One file of a folder: the pattern in it, or why there is none. */
export interface PatternFile {
  readonly file: string
  readonly pattern?: unknown
  readonly problem?: string
}

/** Read the YAML files of a folder, in the order of their names; none may lead out of it. */
export async function readFolder(folder: string): Promise<PatternFile[]> {
  const root = await realpath(folder)
  const names = (await readdir(root)).filter(name => /\.ya?ml$/.test(name)).sort()
  return Promise.all(names.map(name => readPattern(root, name)))
}

async function readPattern(root: string, file: string): Promise<PatternFile> {
  try {
    const path = await realpath(join(root, file))
    if (!path.startsWith(root + sep)) return { file, problem: 'is a link that leads out of the folder' }
    return { file, pattern: await parse(await readFile(path, 'utf8')) }
  } catch (error) {
    return { file, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The content of the key `threat_pattern`, the only one a file may have. */
async function parse(text: string): Promise<unknown> {
  const yaml = await import('yaml')
  const document: unknown = yaml.parse(text)
  const keys = typeof document === 'object' && document !== null ? Object.keys(document) : []
  if (keys.length !== 1 || keys[0] !== 'threat_pattern') throw new Error('must have one key, threat_pattern')
  return (document as { threat_pattern: unknown }).threat_pattern
}
