// Processes that our own packages start, and their end. Not part of the API: it may change in any release.
export { Guardian } from './process/guardian.ts'
export type { GuardianOptions } from './process/guardian.ts'
export { MARK, forget, reap, remember, signalGroup, noteDescendants } from './process/process-group.ts'
export type { Group } from './process/process-group.ts'
export { descendantsOf, memoryOf } from './process/descendants.ts'
export type { Descendant } from './process/descendants.ts'
