import { lstat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Jail } from '../../support/files/jail.ts'
import { shown } from '../../support/files/shown.ts'
import { quote } from '../../support/quote.ts'

interface File {
  readonly path: string
  readonly content: string
}

const WORKFLOW = /^\.github\/workflows\/(.+)\.(ya?ml)$/

/**
 * Files of a project in the folder that it is to be in: those of CI go to the top of the repository around it, where they
 * are looked for, and run in that folder. They come with the name of the project in front.
 */
export async function placed(jail: Jail, files: readonly File[], path: string | undefined): Promise<File[]> {
  const [first] = files
  if (!first) return []
  const project = first.path.slice(0, first.path.indexOf('/'))
  const folder = await jail.resolve(path ?? project, 'path')
  const top = await repositoryOf(jail, folder)
  return files.map(({ path: whole, content }) => {
    const name = whole.slice(whole.indexOf('/') + 1)
    const [, workflow, ending] = WORKFLOW.exec(name) ?? []
    if (workflow === undefined || top === folder) return { path: shown(jail, join(folder, name)), content }
    const own = `.github/workflows/${workflow}-${slug(basename(folder))}.${ending}`
    const inside = relative(top, folder).split(sep).join('/')
    return { path: shown(jail, join(top, own)), content: runningIn(content, inside) }
  })
}

/** The directory of the repository that holds a folder, as far as the roots go; the folder itself if there is none. */
async function repositoryOf(jail: Jail, folder: string): Promise<string> {
  const { root } = jail.below(folder)
  for (let at = folder; ; at = dirname(at)) {
    const isRepository = await lstat(join(at, '.git')).then(
      () => true,
      () => false,
    )
    if (isRepository) return at
    if (at === root || at === dirname(at)) return folder
  }
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'project'

/** A workflow whose steps run in a folder. */
function runningIn(content: string, folder: string): string {
  if (folder.includes('${{'))
    throw new Error(`A workflow cannot run in ${quote(folder)}, which it would take for an expression`)
  const lines = `defaults:\n  run:\n    working-directory: ${JSON.stringify(folder)}\n\njobs:`
  return content.replace(/^jobs:$/m, () => lines)
}
