import type { Link } from '../../analysis/links/links.ts'
import type { Config } from '../config/config.ts'
import type { Resolution } from '../resolution.ts'
import type { Tree } from '../tree.ts'

/** What is known of a project when names are looked up. */
export interface Project {
  readonly tree: Tree
  readonly config: Config
}

/** Finds what a link in a file means. */
export type Resolver = (from: string, link: Link) => Resolution
