import { invalidParameters } from './parameters.ts'
import type { Given } from './parameters.ts'
import type { FileTemplate } from './template.ts'

const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Where a file belongs: in the folder of its project, whether or not the template itself asks for the name. */
export function pathOf({ uri, file }: FileTemplate, given: Given): string {
  const { project_name: name = 'project' } = given
  if (typeof name === 'string' && SAFE.test(name)) return `${name}/${file}`
  const shown = JSON.stringify(name).slice(0, 100)
  throw invalidParameters(uri, [`Parameter 'project_name' must match ${SAFE.source}, got ${shown}.`])
}
