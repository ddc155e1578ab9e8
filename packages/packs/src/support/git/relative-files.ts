import { relative, sep } from 'node:path'
import type { Repository } from './repository.ts'

/** Real paths, from the top of the repository and as git writes them. */
export const relativeFiles = ({ top }: Repository, paths: readonly string[]): string[] =>
  paths.map(path => relative(top, path).split(sep).join('/'))
