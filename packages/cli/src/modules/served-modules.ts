import type { Feature, Log, Server } from '@causeway/engine'
import type { ModuleProblem } from './module-problem.ts'

/** A module that was loaded again, or could not be. */
export interface ModuleChange {
  readonly file: string
  readonly features: readonly Feature[]
  readonly ms: number
  readonly problem?: ModuleProblem
}

/** What may be decided about the features of modules. */
export interface ModulesOptions {
  readonly log: Log
  /** Is it served? Default: all are. */
  readonly accepts?: (feature: Feature) => boolean
  /** Called with each change. Then all files of their package are followed; otherwise those in their own folder, which tools leave alone. */
  readonly changed?: ((change: ModuleChange) => void) | undefined
  /** How long a module may take to load. Default: 20 seconds. */
  readonly loadMs?: number
}

/** What modules export, as it is now. */
export interface ServedModules {
  readonly features: readonly Feature[]
  /** What cannot be used now. */
  readonly problems: readonly ModuleProblem[]
  /** Serve them; a feature that the server refuses is reported and left out. */
  mount(server: Server): void
  /** The exchange for another configuration: which features are accepted is asked again. */
  prepare(): () => void
  /** Load again what changes from now on. */
  follow(): void
  close(): void
}
