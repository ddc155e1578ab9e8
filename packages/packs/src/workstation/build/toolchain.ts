/** What can be done with a project. */
export type Task = 'build' | 'test' | 'restore'

/** How one kind of project is recognised and built. */
export interface Toolchain {
  readonly name: string
  /** A file of this name says that a directory is such a project. */
  readonly marks: RegExp
  /** The command line for a task; undefined if there is no such task.  */
  command(task: Task, project: Project): readonly string[] | undefined
  /** What has to be run first, if anything. */
  before?(task: Task, project: Project): readonly string[] | undefined
  /** The command line that runs only some tests, made of the one that runs all; undefined if they cannot be chosen so. */
  choose?(chosen: Chosen, project: Project, all: readonly string[]): readonly string[] | undefined
}

/** A directory to build, and what is in it. */
export interface Project {
  readonly names: ReadonlySet<string>
  readonly file: string | undefined
  /** The command of the script that runs the tests, where there is a `package.json`. */
  readonly testScript?: string | undefined
  /** Mocha has a configuration that names test files, which always run. */
  readonly hasMochaSpec?: boolean
}

/** Which tests to run. */
export interface Chosen {
  /** A file from the directory of the project. */
  readonly file?: string | undefined
  /** A name, or part of one. */
  readonly test?: string | undefined
  /** What is in the file, unless it is a directory or large. */
  readonly source?: string | undefined
}
