import { environment } from '../support/processes/environment.ts'
import { findProgram } from '../support/processes/programs.ts'
import type { Feature, Pack } from '@causeway/engine'
import { topsAbove } from '../support/git/locate.ts'
import { createJail } from '../support/files/jail.ts'
import { nearestPaths } from '../support/files/nearest-path.ts'
import { withViews } from '../support/views.ts'
import type { ViewName } from '../support/views.ts'
import { ciBuild, ciRestore, ciRunTests } from './build/build-tools.ts'
import { backgroundTools } from './run/background-tools.ts'
import { runCommand } from './run/command.ts'
import { createEdits } from '../support/edits/edits.ts'
import type { Edits } from '../support/edits/edits.ts'
import { undoEdit } from './edit/undo.ts'
import { plainArguments, plainPolicies } from './plain-arguments.ts'
import { createThreads } from './workspace.ts'
import type { Workspace } from './workspace.ts'
import { editFile } from './edit/edit-file.ts'
import { replaceInFiles } from './edit/replace-in-files.ts'
import { gitCurrentBranch, gitDiff, gitListBranches, gitLog, gitShow, gitStatus } from './git/inspect.ts'
import { viewGitLog } from './git/log-view.ts'
import { gitBlame, gitCreateTag, gitListTags, gitListWorktrees } from './git/history.ts'
import { gitAbort, gitContinue } from './git/conflicts/finish.ts'
import { gitConflicts } from './git/conflicts/list.ts'
import { gitResolve } from './git/conflicts/resolve.ts'
import { gitMerge, gitRestore } from './git/merge.ts'
import { gitCherryPick, gitRevert } from './git/pick.ts'
import { gitRebase } from './git/rebase.ts'
import { remoteTools } from './git/remote.ts'
import { gitStash } from './git/stash.ts'
import { gitAdd, gitCheckout, gitCommit, gitCreateBranch, gitDeleteBranch } from './git/commit.ts'
import { directoryExists, fileExists, fileInfo, listDirectory } from './files/file-info.ts'
import { getDiagnostics, getServerInfo, printEnv } from './diagnostics.ts'
import type { About } from './diagnostics.ts'
import { readFile, readFiles } from './files/read-file.ts'
import { searchFiles } from './search/search.ts'
import { removeLeftoversSoon } from './files/remove-leftovers.ts'
import { directoryTree } from './files/directory-tree.ts'
import { copyFile, deleteDirectory } from './files/copy-delete.ts'
import { createDirectory, deleteFile, moveFile, writeFile } from './files/write-file.ts'
import { withKeywords } from '../support/keywords.ts'
import { KEYWORDS } from './keywords.ts'

export { createEdits } from '../support/edits/edits.ts'
export type { Edits } from '../support/edits/edits.ts'

/** What may be chosen about the pack. */
export interface WorkstationOptions {
  /** The directories everything stays in; relative paths begin at the first. */
  readonly roots: readonly string[]
  /** Files and folders that decide what the operator's server runs: file tools do not change them. */
  readonly operatorFiles?: readonly string[] | undefined
  /** Leave out every tool that writes. */
  readonly readOnly?: boolean
  /** Commands that `run_command` may run, such as `git status`, `npm *` or `*`; without any there is no such tool. */
  readonly allowCommand?: readonly string[]
  /** Serve `git_fetch`, `git_pull` and `git_push`: for every encrypted or local address, or for those that patterns name. */
  readonly allowRemote?: boolean | readonly string[]
  /** Let git tools use the repository that a root lies in, with all of its history; files outside the roots stay as they are. */
  readonly repositoryAbove?: boolean
  /** Leave out the tools that need git, which is not installed. */
  readonly withoutGit?: boolean | undefined
  readonly limits?: {
    /** Bytes that a result may have, as the server limits it. Default: 10 MB. */
    readonly resultBytes?: number | undefined
    /** Tokens that the text of a result may have, as the server limits it: `read_file` stops at the last line that fits. */
    readonly resultTokens?: number | undefined
    /** Longest a child process may run, however long the server lets a call take. Default: 10 minutes. */
    readonly timeMs?: number | undefined
  }
  /** `read_file` reads a file whole, as far as it fits into a result, where no lines are asked for. Default: 2000 lines. */
  readonly wholeFiles?: boolean | undefined
  /** Run git in a sandbox (bubblewrap) in which nothing outside the roots exists; without one, git tools fail. */
  readonly sandbox?: boolean | undefined
  /** Variables that commands get in addition to the usual ones. */
  readonly environment?: readonly string[]
  /** Names this process where several serve the same clients: commands in the background and edits are known to one of them. */
  readonly processName?: string | undefined
  /** One name for a place in every tool, `path`, `paths` or `repository`, in place of the documented ones, which are still taken. */
  readonly plainArguments?: boolean | undefined
  /** What was edited, shared with other packs that write the same files: see `createEdits`. */
  readonly edits?: Edits | undefined
  /** Who the server is, for `debug_get_server_info`. */
  readonly server?: About
  /** The script of the threads; default: the one beside the build. */
  readonly worker?: URL
}

const RESULT_BYTES = 10 * 1024 * 1024
const TIME_MS = 10 * 60_000
// What surrounds the text in an answer.
const ENVELOPE_BYTES = 4096

const VIEWS: Readonly<Record<string, ViewName>> = {
  git_log: 'git-log',
  git_diff: 'diff',
  git_show: 'diff',
  search_files: 'search',
  ci_build: 'build',
  ci_run_tests: 'build',
}

/** Files, git and builds, confined to some directories. */
export function workstation(options: WorkstationOptions): Pack {
  const { readOnly = false, server = { name: 'causeway', version: '' } } = options
  const workspace = workspaceOf(options)
  const { jail } = workspace
  const all = [
    ...reads(workspace),
    ...(readOnly ? [] : [...writes(workspace), ...allowedOnly(workspace, options)]),
    getDiagnostics,
    getServerInfo(workspace, server),
    printEnv,
    viewGitLog(workspace),
  ].filter(({ name }) => options.withoutGit !== true || !isGitTool(name))
  const named = withKeywords(all, KEYWORDS)
  const features = withViews(options.plainArguments ? plainArguments(named, jail) : named, VIEWS)
  return {
    name: 'workstation',
    instructions:
      `Files, git and builds in ${jail.roots.join(', ')}: relative paths begin at the first of these, ` +
      `and nothing outside of them can be used.${readOnly ? ' Nothing can be changed.' : ''}`,
    features,
    use: [...(options.plainArguments ? plainPolicies(features) : []), nearestPaths(jail)],
  }
}

/** Is it the name of a tool that needs git? */
const isGitTool = (name: string): boolean => /^(?:view_)?git[_/]/.test(name)

/** Is git installed, outside of the roots? */
export async function hasGit(roots: readonly string[]): Promise<boolean> {
  const { program } = await findProgram('git', environment().PATH ?? '', createJail(roots).holds)
  return program !== undefined
}

/** What is there only if the operator allows it. */
const allowedOnly = (
  workspace: Workspace,
  { allowCommand = [], allowRemote = false }: WorkstationOptions,
): Feature[] => [
  ...(allowCommand.length === 0
    ? []
    : [runCommand(workspace, allowCommand), ...backgroundTools(workspace, allowCommand)]),
  ...(allowRemote === false ? [] : remoteTools(workspace, allowRemote)),
]

function workspaceOf(options: WorkstationOptions): Workspace {
  const { limits = {} } = options
  const jail = createJail(options.roots, options.operatorFiles)
  const { edits = createEdits() } = options
  return {
    jail,
    gitJail: options.repositoryAbove ? createJail([...jail.roots, ...topsAbove(jail.roots)]) : jail,
    journal: edits.journal,
    threads: createThreads(options.worker),
    textBytes: Math.max(ENVELOPE_BYTES, (limits.resultBytes ?? RESULT_BYTES) - ENVELOPE_BYTES),
    textTokens: limits.resultTokens,
    timeMs: limits.timeMs ?? TIME_MS,
    wholeFiles: options.wholeFiles ?? false,
    environment: options.environment ?? [],
    sandbox: options.sandbox,
    plainPaths: options.plainArguments ?? false,
    processName: options.processName,
    inTurn: edits.inTurn,
  }
}

const reads = (workspace: Workspace): Feature[] =>
  [
    readFile,
    readFiles,
    listDirectory,
    directoryTree,
    searchFiles,
    fileExists,
    directoryExists,
    fileInfo,
    gitStatus,
    gitLog,
    gitDiff,
    gitShow,
    gitListBranches,
    gitCurrentBranch,
    gitBlame,
    gitListTags,
    gitListWorktrees,
    gitConflicts,
  ].map(make => make(workspace))

function writes(workspace: Workspace): Feature[] {
  removeLeftoversSoon(workspace.threads, workspace.jail.roots)
  return [
    writeFile,
    editFile,
    replaceInFiles,
    createDirectory,
    moveFile,
    copyFile,
    deleteFile,
    deleteDirectory,
    undoEdit,
    gitAdd,
    gitCommit,
    gitCreateBranch,
    gitCheckout,
    gitDeleteBranch,
    gitMerge,
    gitResolve,
    gitContinue,
    gitAbort,
    gitCherryPick,
    gitRevert,
    gitRebase,
    gitRestore,
    gitStash,
    gitCreateTag,
    ciBuild,
    ciRunTests,
    ciRestore,
  ].map(make => make(workspace))
}
