/** What the nodes of one language mean, by the names its parser gives them. */
export interface Grammar {
  /** Functions, if they have a body. */
  readonly functions: readonly string[]
  readonly ifs: readonly string[]
  /** What holds an `else` and its branch, where the parser has a node for that. */
  readonly elses?: readonly string[]
  /** A condition after the first that is no `if` of its own. */
  readonly elifs?: readonly string[]
  readonly loops: readonly string[]
  readonly switches: readonly string[]
  readonly ternaries: readonly string[]
  readonly catches: readonly string[]
  /** Nodes that are one decision each and nothing else: cases, guards, early returns. */
  readonly decisions?: readonly string[]
  /** Arms of a match: a decision each, unless they take whatever is left. */
  readonly arms?: readonly string[]
  /** Tokens that decide, by the node they stand in. */
  readonly tokens: Readonly<Record<string, readonly string[]>>
  /** `break` and `continue`, which count if they name a label. */
  readonly jumps?: readonly string[]
  readonly labels?: readonly string[]
  readonly gotos?: readonly string[]
  readonly calls: readonly string[]
  readonly parens?: readonly string[]
  /** What functions belong to, and the field that has its name. */
  readonly containers: Readonly<Record<string, string>>
  /** What gives a nameless function its name, and the field that has it. */
  readonly carriers: Readonly<Record<string, string>>
  /** Functions, or what carries their names, that are part of an object or a call: the bare name means another function. */
  readonly members?: readonly string[]
  /** What has the name and the parameters of a function, where that is not the function itself. */
  readonly declarators?: readonly string[]
  /** What looks like a function without a type inside another one: a macro with a block, such as `each(item, list) { … }`. */
  readonly macros?: string
  /** Between the name of a container and that of its function. */
  readonly separator: '.' | '::'
  /** Literals that are one operand each, whatever is inside. */
  readonly atoms: readonly string[]
  /** Literals that are one operand and may hold expressions. */
  readonly strings?: readonly string[]
  /** Parts of literals, and comments: neither operator nor operand. */
  readonly ignored: readonly string[]
  /** Words of the language that the parser gives a node. */
  readonly keywords?: readonly string[]
  /** Several functions may have one name. */
  readonly overloads?: boolean
  /** Literals for which `a || literal` is only a default value. */
  readonly defaults?: readonly string[]
  /** Each function counts for itself alone, not for the one it stands in. */
  readonly separate?: boolean
  /** A function that only holds another and returns it wraps it. */
  readonly wrappers?: boolean
  /** A method may call its neighbours by their bare names. */
  readonly implicitThis?: boolean
}

/** A language we measure. */
export type Language =
  | 'rust'
  | 'typescript'
  | 'tsx'
  | 'javascript'
  | 'python'
  | 'go'
  | 'java'
  | 'csharp'
  | 'cpp'
  | 'php'
  | 'ruby'
  | 'shell'
  | 'component'

const EXTENSIONS: Readonly<Record<Language, readonly string[]>> = {
  rust: ['.rs'],
  typescript: ['.ts', '.mts', '.cts'],
  tsx: ['.tsx'],
  javascript: ['.js', '.mjs', '.cjs', '.jsx'],
  python: ['.py', '.pyi'],
  go: ['.go'],
  java: ['.java'],
  csharp: ['.cs'],
  cpp: ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx'],
  php: ['.php'],
  ruby: ['.rb', '.rake', '.gemspec'],
  shell: ['.sh', '.bash'],
  component: ['.vue', '.svelte'],
}

const SCRIPT: readonly Language[] = ['typescript', 'tsx', 'javascript', 'component']

/** Which languages a toolchain means. */
export const TOOLCHAINS: Readonly<Record<string, readonly Language[]>> = {
  rust: ['rust'],
  deno: SCRIPT,
  node: SCRIPT,
  'python-uv': ['python'],
  go: ['go'],
  java: ['java'],
  csharp: ['csharp'],
  cpp: ['cpp'],
  php: ['php'],
  ruby: ['ruby'],
  shell: ['shell'],
  typescript: SCRIPT,
  javascript: SCRIPT,
  python: ['python'],
  c: ['cpp'],
}

/** The endings of the files of some languages; without any, of all. */
export const extensionsOf = (languages: readonly Language[] = Object.keys(EXTENSIONS) as Language[]): string[] =>
  languages.flatMap(language => EXTENSIONS[language])

const BY_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([language, endings]) => endings.map(e => [e, language as Language] as const)),
)

/** The language of a file, by its name. */
export function languageOf(file: string): Language | undefined {
  const dot = file.lastIndexOf('.')
  return dot < 0 ? undefined : BY_EXTENSION.get(file.slice(dot).toLowerCase())
}
