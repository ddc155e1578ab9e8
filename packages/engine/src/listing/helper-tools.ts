import { READ_RESULT } from '../results/meta-keys.ts'
import { SEARCH_TOOLS } from './search-names.ts'

/** Tools that lead to others, or read on in their results: wherever tools are counted, these are not. */
export const HELPER_TOOLS: ReadonlySet<string> = new Set([...SEARCH_TOOLS, READ_RESULT])
