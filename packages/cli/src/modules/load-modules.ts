import type { ModulesOptions, ServedModules } from './served-modules.ts'

const nothing = (): void => {}
const NONE: ServedModules = {
  features: [],
  problems: [],
  mount: nothing,
  prepare: () => nothing,
  follow: nothing,
  close: nothing,
}

/** Load the modules in files and folders, if any are named. */
export const loadModules = async (paths: readonly string[], options: ModulesOptions): Promise<ServedModules> =>
  paths.length === 0 ? NONE : (await import('./tool-modules.ts')).ToolModules.load(paths, options)
