import type { Language } from '../analysis/parse/grammar.ts'
import { clangd, csharpLs, gopls, jdtls, pyright, rustAnalyzer, typescript } from './launches.ts'
import type { Launch, Plan } from './launches.ts'

/** A language server that we know how to start, and to keep from running what a project names. */
export interface ServerKind {
  /** As the operator names it. */
  readonly name: string
  readonly languages: readonly Language[]
  /** The programs it may be, the best first. */
  readonly programs: readonly string[]
  /** Why it is not started without the operator's word, however it is told to be careful. */
  readonly runsProject?: string
  /** How it is started; words say why it cannot be. */
  readonly launch: (at: Launch) => Promise<Plan | string>
  /** How long after a list of diagnostics a better one may follow. */
  readonly settleMs: number
}

/** Those that are known. */
export const KINDS: readonly ServerKind[] = [
  {
    name: 'typescript',
    languages: ['typescript', 'tsx', 'javascript'],
    programs: ['typescript-language-server', 'tsc'],
    launch: typescript,
    settleMs: 1000,
  },
  { name: 'pyright', languages: ['python'], programs: ['pyright-langserver'], launch: pyright, settleMs: 1000 },
  { name: 'gopls', languages: ['go'], programs: ['gopls'], launch: gopls, settleMs: 1000 },
  { name: 'clangd', languages: ['cpp'], programs: ['clangd'], launch: clangd, settleMs: 0 },
  {
    name: 'rust-analyzer',
    languages: ['rust'],
    programs: ['rust-analyzer'],
    runsProject: 'Cargo runs the compiler and wrappers that a project configures, build scripts and procedural macros',
    launch: rustAnalyzer,
    settleMs: 1000,
  },
  {
    name: 'jdtls',
    languages: ['java'],
    programs: ['jdtls'],
    runsProject: 'it evaluates build.gradle and Maven plugins',
    launch: jdtls,
    settleMs: 1000,
  },
  {
    name: 'csharp-ls',
    languages: ['csharp'],
    programs: ['csharp-ls'],
    runsProject: 'MSBuild evaluates project files, and loads their analyzers',
    launch: csharpLs,
    settleMs: 1000,
  },
]

const ids: Readonly<Record<string, string>> = { tsx: 'typescriptreact', javascript: 'javascript', csharp: 'csharp' }

/** What the protocol calls the language of a file. */
export function languageIdOf(file: string, language: Language): string {
  if (language === 'cpp') return file.endsWith('.c') ? 'c' : 'cpp'
  if (file.endsWith('.jsx')) return 'javascriptreact'
  return ids[language] ?? language
}
