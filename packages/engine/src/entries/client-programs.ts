export { clientPrograms, programNamed, serverContainers } from '../client-programs/programs.ts'
export type { ClientFile, ClientProgram, PlatformPath } from '../client-programs/programs.ts'
export {
  httpEntry,
  httpSnippet,
  installLink,
  sseSnippet,
  stdioEntry,
  stdioSnippet,
} from '../client-programs/snippets.ts'
export type { ClientEntry, HttpAddress, StdioCommand } from '../client-programs/snippets.ts'
export { shellJson, shellWord } from '../support/shell-word.ts'
export { visibleJson } from '../support/visible-json.ts'
