import type { Log, Policy } from '@causeway/engine'
import type { CallObserver } from '@causeway/engine/policies'
import type { Config } from '../config/config.ts'
import type { Developer } from '../modules/developer.ts'
import { loadModules } from '../modules/load-modules.ts'
import type { ServedModules } from '../modules/served-modules.ts'
import { mayStay } from './wanted-features.ts'

/** The modules of --tools-dir, as a developer sees them where there is one. */
export const modulesOf = (config: () => Config, log: Log, developer: Developer | undefined): Promise<ServedModules> =>
  loadModules(config().toolsDir, { log, accepts: feature => mayStay(feature, config()), changed: developer?.changed })

/** Who sees each call from outside of all policies, so that they have what these refuse: the audit, a developer. */
export const seenBy = (...observed: readonly ({ readonly observer: CallObserver } | undefined)[]): CallObserver[] =>
  observed.flatMap(one => one?.observer ?? [])

/** The policy of a developer. */
export const developing = (developer: Developer | undefined, modules: ServedModules): Policy[] =>
  developer ? [developer.policy(modules)] : []
