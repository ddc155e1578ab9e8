/** A package of npm that the project contains. */
export interface NodePackage {
  readonly folder: string
  readonly name: string | undefined
  /** Files that others may begin with, as written, the best first. */
  readonly mains: readonly string[]
  /** By subpath, such as `.` or `./*`: as written, the best first. */
  readonly exports: Readonly<Record<string, readonly string[]>> | undefined
  /** By names such as `#x` or `#x/*`. */
  readonly imports: Readonly<Record<string, readonly string[]>>
  /** What it says it depends on. */
  readonly dependencies: readonly string[]
  /** Every file that it names anywhere: scripts, bins, entries. */
  readonly named: readonly string[]
}

/** What a tsconfig or jsconfig says of names. */
export interface ScriptConfig {
  readonly file: string
  readonly folder: string
  readonly baseUrl: string | undefined
  /** By pattern: paths from the root. */
  readonly paths: Readonly<Record<string, readonly string[]>>
}

/** A crate of Rust. */
export interface Crate {
  readonly folder: string
  /** As code writes it. */
  readonly name: string
  /** The first files of its library and of its programs. */
  readonly lib: string | undefined
  readonly programs: readonly string[]
  /** What code calls its dependencies, and what crates those are. */
  readonly dependencies: Readonly<Record<string, string>>
}

/** A module of Go, or what stands in its place. */
export interface GoModule {
  readonly module: string
  readonly folder: string
}

/** All that files of the project say about how names lead to files. */
export interface Config {
  readonly packages: readonly NodePackage[]
  readonly scripts: readonly ScriptConfig[]
  readonly crates: readonly Crate[]
  readonly goModules: readonly GoModule[]
  /** Directories in which packages of Python begin, as far as something says so. */
  readonly pythonRoots: readonly string[]
  /** Directories whose files a library gives to others, whatever uses them here. */
  readonly libraries: readonly string[]
  /** By file: where its includes are looked for; under the empty name: where all are. */
  readonly includes: Readonly<Record<string, readonly string[]>>
}
