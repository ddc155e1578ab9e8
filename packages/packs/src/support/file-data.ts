import type { Policy } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'

/** For tools that return text or names out of files: exact, and fenced where that is wanted. */
export const fileData: readonly Policy[] = [dataFrom('file', { exact: true })]
