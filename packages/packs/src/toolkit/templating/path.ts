import type { Given } from './parameters.ts'
import type { FileTemplate } from './template.ts'

/** Where a file belongs: in the folder of its project, by a name that was checked. */
export const pathOf = ({ file }: FileTemplate, { project_name: name = 'project' }: Given): string =>
  `${String(name)}/${file}`
