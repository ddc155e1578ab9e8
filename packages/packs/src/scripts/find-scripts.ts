import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readBounded, reading } from '../support/files/file.ts'
import { HeaderProblem, commentLines, readHeader } from './header.ts'
import type { ScriptHeader } from './header.ts'

/** A script that declares a tool: a file, or one of a package.json. */
export interface FoundScript {
  readonly header: ScriptHeader
  readonly file: string
  /** Its name in package.json. */
  readonly npm?: string
}

/** Why something in a folder is no tool, although it means to be. */
export interface ScriptProblem {
  readonly where: string
  readonly why: string
}

const MOST_FILES = 1000
const HEAD_BYTES = 16_384
const LARGEST_PACKAGE = 1_000_000
const PACKAGE = 'package.json'
const LINKS = { links: true }

/** The scripts of a folder that declare tools, by name; folders in it are left alone. */
export async function findScripts(
  folder: string,
): Promise<{ readonly scripts: readonly FoundScript[]; readonly problems: readonly ScriptProblem[] }> {
  const scripts: FoundScript[] = []
  const problems: ScriptProblem[] = []
  const names = (await readdir(folder)).sort().slice(0, MOST_FILES)
  for (const name of names) {
    const file = join(folder, name)
    try {
      scripts.push(...(name === PACKAGE ? await packageScripts(file) : await scriptIn(file)))
    } catch (error) {
      const line = error instanceof HeaderProblem ? `:${error.line}` : ''
      problems.push({ where: `${file}${line}`, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { scripts, problems }
}

async function scriptIn(file: string): Promise<readonly FoundScript[]> {
  if (!(await stat(file)).isFile()) return []
  const head = await headOf(file)
  if (head.includes('\0')) return []
  const header = readHeader(commentLines(head))
  if (!header) return []
  const isRunnable = process.platform === 'win32' || head.startsWith('#!')
  if (!isRunnable) throw new Error('it needs a first line that says what runs it, such as #!/bin/sh')
  try {
    await access(file, constants.X_OK)
  } catch (cause) {
    throw new Error(`it is not executable: chmod +x ${basename(file)}`, { cause })
  }
  return [{ header, file }]
}

const headOf = (file: string): Promise<string> =>
  reading(
    { at: file, path: file },
    async handle => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return buffer.toString('utf8', 0, bytesRead)
    },
    LINKS,
  )

/** In package.json, the member `//NAME` of `scripts` is the comment of the script NAME. */
async function packageScripts(file: string): Promise<readonly FoundScript[]> {
  const text = (await readBounded(file, LARGEST_PACKAGE, LINKS)).toString('utf8')
  const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, unknown> }
  return Object.entries(scripts).flatMap(([key, comment]) => {
    if (!key.startsWith('//') || typeof comment !== 'string') return []
    const npm = key.slice(2)
    const header = readHeader(comment.split('\n').map((text, i) => [i + 1, text] as const))
    if (!header) return []
    if (typeof scripts[npm] !== 'string') throw new Error(`'${key}' declares a tool, and there is no script '${npm}'`)
    return [{ header, file, npm }]
  })
}
