import { cp, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TEMPLATES, VERSION } from '../version.ts'

/** How the schemas of a new server are written. */
export type SchemaKind = 'zod' | 'json'

/** What to make. */
export interface NewServer {
  readonly folder: string
  /** The name of the package and of the server. */
  readonly name: string
  readonly schema: SchemaKind
}

const NAME = 'my-server'

/** Write the files of a new server; their paths, relative to the folder, in order. */
export async function scaffold({ folder, name, schema }: NewServer): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  for (const part of ['server', schema]) await cp(join(TEMPLATES, part), folder, { recursive: true })
  for (const entry of await readdir(folder)) await rename(join(folder, entry), join(folder, ownName(entry)))
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  const paths = files.map(({ parentPath, name: file }) => join(parentPath, file)).sort()
  for (const path of paths) await writeFile(path, filled(await readFile(path, 'utf8'), folder, name))
  const manifest = join(folder, 'package.json')
  await writeFile(manifest, withDependencies(await readFile(manifest, 'utf8'), schema))
  return paths.map(path => path.slice(folder.length + 1))
}

// npm leaves files out of packages whose names begin with a dot.
const ownName = (entry: string): string => entry.replace(/^_/, '.').replace(/\.template$/, '')

const filled = (text: string, folder: string, name: string): string =>
  text.replaceAll('SERVER_FOLDER', () => folder.replaceAll('\\', '/')).replaceAll(NAME, () => name)

function withDependencies(text: string, schema: SchemaKind): string {
  const manifest = JSON.parse(text) as { dependencies: Record<string, string> }
  const { zod, ...others } = manifest.dependencies
  const dependencies = { ...others, '@causeway/engine': `^${VERSION}`, ...(schema === 'zod' && { zod }) }
  return `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`
}
