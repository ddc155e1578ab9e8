import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { readBounded, reading } from '../../support/files/file.ts'

/** What a server is started for, and with which program. */
export interface Launch {
  readonly program: string
  /** What the program is, through all links. */
  readonly real: string
  readonly root: string
  /** The operator said that it may run what the project names. */
  readonly trusted: boolean
  /** Finds another program outside of the roots. */
  readonly find: (name: string) => Promise<string | undefined>
}

/** How to start it. */
export interface Plan {
  readonly words: readonly string[]
  /** As answers name it. */
  readonly title: string
  readonly version?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  /** `initializationOptions`. */
  readonly options?: unknown
  /** What it asks for by `workspace/configuration`, by the first word of the section. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Without the sandbox it may write or fetch what a project says; then it needs the operator's word. */
  readonly needsSandbox?: boolean
  /** What it must see in the sandbox in addition to the roots and the system. */
  readonly reads: readonly string[]
}

const MANIFEST_BYTES = 1024 * 1024
const HEAD_BYTES = 64
const MEMORY_MB = 3072
const SCRIPT = /\.[cm]?js$/

/** Scripts are run by the Node that runs us, and not by one that is looked up. */
async function asWords({ program, real }: Launch, ...args: string[]): Promise<string[]> {
  const isScript = SCRIPT.test(real) || (await firstLine(real)).startsWith('#!/usr/bin/env node')
  return isScript ? [process.execPath, `--max-old-space-size=${MEMORY_MB}`, real, ...args] : [program, ...args]
}

async function firstLine(path: string): Promise<string> {
  const start = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await reading({ at: path, path }, file => file.read(start, 0, HEAD_BYTES, 0))
  return start.toString('latin1', 0, bytesRead).split('\n', 1)[0] ?? ''
}

/** The folder of packages that a script is installed in, or the folder of a program. */
function installedIn(real: string): string {
  const parts = real.split(sep)
  const at = parts.lastIndexOf('node_modules')
  return at < 0 ? dirname(real) : parts.slice(0, at + 1).join(sep)
}

async function manifestOf(real: string): Promise<{ readonly folder: string; readonly version: string } | undefined> {
  for (let folder = dirname(real), i = 0; i < 4; i++, folder = dirname(folder)) {
    const text = await readBounded(join(folder, 'package.json'), MANIFEST_BYTES).catch(() => undefined)
    const version: unknown = text && (JSON.parse(text.toString()) as { readonly version?: unknown }).version
    if (typeof version === 'string') return { folder, version }
  }
  return undefined
}

/** TypeScript's own server, from 7 on, or the one that stands in front of it before. */
export async function typescript(at: Launch): Promise<Plan | string> {
  const own = await manifestOf(at.real)
  const reads = [installedIn(at.real), join(dirname(at.root), 'node_modules')]
  if (at.program.endsWith('tsc')) {
    if (Number(own?.version.split('.')[0]) < 7) return 'TypeScript before 7 needs typescript-language-server'
    const words = await asWords(at, '--lsp', '--stdio')
    return { words, title: 'TypeScript', version: own?.version, reads, needsSandbox: true }
  }
  const library = await libraryOf(at)
  if (library === undefined)
    return 'typescript-language-server needs TypeScript 6 or earlier, installed beside it or on PATH'
  return {
    words: await asWords(at, '--stdio'),
    title: 'typescript-language-server',
    version: own?.version,
    reads: [...reads, installedIn(library)],
    options: {
      tsserver: { path: library, useSyntaxServer: 'never' },
      maxTsServerMemory: MEMORY_MB,
      plugins: [],
      disableAutomaticTypingAcquisition: true,
      preferences: { providePrefixAndSuffixTextForRename: true, allowRenameOfImportPath: false },
    },
  }
}

/** The tsserver to use: the project's own only if the operator said so. */
async function libraryOf({ real, root, trusted, find }: Launch): Promise<string | undefined> {
  const beside = join(installedIn(real), 'typescript')
  const onPath = await find('tsserver')
  const places = [
    ...(trusted ? [join(root, 'node_modules/typescript')] : []),
    beside,
    ...(onPath === undefined ? [] : [dirname(dirname(await realpath(onPath)))]),
  ]
  for (const place of places) {
    const library = await realpath(join(place, 'lib/tsserver.js')).catch(() => undefined)
    if (library !== undefined) return library
  }
  return undefined
}

/** Finds packages with the interpreter outside of the roots. */
export async function pyright(at: Launch): Promise<Plan> {
  const own = join(at.root, '.venv/bin/python')
  const isThere = at.trusted && (await realpath(own).catch(() => undefined)) !== undefined
  const python = isThere ? own : ((await at.find('python3')) ?? (await at.find('python')))
  const home = python === undefined ? [] : [dirname(dirname(await realpath(python)))]
  return {
    words: await asWords(at, '--stdio'),
    title: 'pyright',
    version: (await manifestOf(at.real))?.version,
    reads: [installedIn(at.real), ...home, join(homedir(), '.local/lib')],
    settings: {
      // A path that leads nowhere, so that it does not look for one.
      python: {
        pythonPath: python ?? '/nonexistent/python',
        analysis: { diagnosticMode: 'openFilesOnly', autoSearchPaths: true, useLibraryCodeForTypes: true },
      },
      pyright: { disableTaggedHints: true },
    },
  }
}

/** Runs `go list`: with the toolchain that is installed, without cgo and network. */
export async function gopls(at: Launch): Promise<Plan | string> {
  const go = await at.find('go')
  if (go === undefined) return 'gopls needs the program go'
  const modules = process.env.GOMODCACHE ?? join(process.env.GOPATH ?? join(homedir(), 'go'), 'pkg/mod')
  return {
    words: [at.program, 'serve'],
    title: 'gopls',
    reads: [modules, dirname(dirname(await realpath(go)))],
    env: {
      GOMODCACHE: modules,
      GOPROXY: 'off',
      GOTOOLCHAIN: 'local',
      GOPACKAGESDRIVER: 'off',
      CGO_ENABLED: at.trusted ? '1' : '0',
      GOFLAGS: `${process.env.GOFLAGS ?? ''} -buildvcs=false`.trim(),
      GOTELEMETRY: 'off',
      GOMEMLIMIT: `${MEMORY_MB}MiB`,
    },
  }
}

/** Its index is kept in memory: it would be written into the project. */
export const clangd = async (at: Launch): Promise<Plan> => ({
  words: [
    at.program,
    '--background-index=false',
    '--pch-storage=memory',
    '--clang-tidy=false',
    '--log=error',
    '-j=2',
    at.trusted ? '--query-driver=/usr/bin/*,/usr/local/bin/*,/opt/*/bin/*' : '--enable-config=0',
  ],
  title: 'clangd',
  needsSandbox: true,
  reads: [dirname(dirname(at.real)), '/opt'],
})

/** Builds in memory what it needs of the project. */
export const rustAnalyzer = async (at: Launch): Promise<Plan> => ({
  words: [at.program],
  title: 'rust-analyzer',
  reads: [process.env.CARGO_HOME ?? join(homedir(), '.cargo'), process.env.RUSTUP_HOME ?? join(homedir(), '.rustup')],
  env: { CARGO_NET_OFFLINE: 'true', CARGO_TARGET_DIR: '/tmp/target' },
  options: { checkOnSave: false, cargo: { targetDir: true } },
})

/** Keeps its workspace in memory. */
export const jdtls = async (at: Launch): Promise<Plan> => ({
  words: [at.program, '-data', '/tmp/jdtls'],
  title: 'jdtls',
  reads: [dirname(dirname(at.real)), join(homedir(), '.m2'), join(homedir(), '.gradle')],
})

/** Finds the solution by itself. */
export const csharpLs = async (at: Launch): Promise<Plan> => ({
  words: [at.program],
  title: 'csharp-ls',
  reads: [dirname(at.real), join(homedir(), '.dotnet'), join(homedir(), '.nuget')],
})
