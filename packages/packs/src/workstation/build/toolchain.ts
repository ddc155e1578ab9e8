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
  /** Arguments that choose some tests; undefined if they cannot be chosen so. */
  choose?(chosen: Chosen, project: Project): readonly string[] | undefined
}

/** A directory to build, and what is in it. */
export interface Project {
  readonly names: ReadonlySet<string>
  readonly file: string | undefined
  /** The command of the script that runs the tests, where there is a `package.json`. */
  readonly testScript?: string | undefined
}

/** Which tests to run. */
export interface Chosen {
  /** A file from the directory of the project. */
  readonly file?: string | undefined
  /** A name, or part of one. */
  readonly test?: string | undefined
}
