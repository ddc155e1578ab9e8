import { readFile, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** One YAML file: what is in it, or why it cannot be read. */
export interface YamlFile {
  readonly file: string
  readonly content?: unknown
  readonly problem?: string
}

const LARGEST = 1_000_000

/** Read the YAML files of a folder, in the order of their names; none may lead out of it. */
export async function readYamlFiles(folder: string): Promise<YamlFile[]> {
  const root = await realpath(folder)
  const names = (await readdir(root)).filter(name => /\.ya?ml$/.test(name)).sort()
  return Promise.all(names.map(name => readOne(root, name)))
}

async function readOne(root: string, file: string): Promise<YamlFile> {
  try {
    const path = await realpath(join(root, file))
    if (!path.startsWith(root + sep)) return { file, problem: 'is a link that leads out of the folder' }
    if ((await stat(path)).size > LARGEST) return { file, problem: `has more than ${LARGEST} bytes` }
    return { file, content: await parseYaml(await readFile(path, 'utf8')) }
  } catch (error) {
    return { file, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The value a text stands for; JSON is YAML too. */
export async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(text, { logLevel: 'error' }) as unknown
}
