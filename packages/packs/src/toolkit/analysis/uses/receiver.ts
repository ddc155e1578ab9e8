const LOOK_BACK = 200
const MOST_TEXT = 50_000
// Imports stand at the top.
const MOST_IMPORTS = 20_000
const SEPARATOR = /(?:\?\.|!\.|(?<!\.)\.|->|::)\s*$/

/** What stands before the dot. */
export interface Receiver {
  /** As written, the last part of a chain; empty if it is no name. */
  readonly name: string
  /** More stands before it. */
  readonly isChain: boolean
  /** All of a chain of names with dots. */
  readonly chain?: string
  readonly separator: string
  /** What type it is, if the text around says so. */
  readonly type?: string
  /** The import that gives it its name. */
  readonly origin?: string
  /** It is one thing of a module, rather than the module. */
  readonly isNamed?: true
  /** The module of `require('./module').name`. */
  readonly module?: string
}

/** What the name at a place is a part of, as the text says. */
export function receiverAt(source: string, at: number): Receiver | undefined {
  const before = source.slice(Math.max(0, at - LOOK_BACK), at)
  const [dot] = SEPARATOR.exec(before) ?? []
  if (dot === undefined) return undefined
  const left = before.slice(0, before.length - dot.length).trimEnd()
  const separator = dot.trim()
  const [, chain, name = ''] = /((?:\.|->|::|\?\.|!\.)\s*)?([\p{L}_$@][\p{L}\p{N}_$]*)!?$/u.exec(left) ?? []
  const [whole] = /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+$/u.exec(left) ?? []
  const [, module] = /\brequire\(\s*["']([^"']+)["']\s*\)$/.exec(left) ?? []
  const [, made] = /(?:\bnew\s+|(?<![\w.]))([A-Z]\w*)\s*(?:<[^<>]*>)?\([^()]*\)\)?$/.exec(left) ?? []
  return {
    name: name.replace(/^[$@]+/, ''),
    isChain: chain !== undefined,
    separator,
    ...(chain && whole && { chain: whole }),
    ...(made && { type: made }),
    ...(module && { module }),
  }
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

// What stands around a value and passes its members on.
const WRAPPERS = new Set(
  'Arc Rc Box RefCell Mutex RwLock Some Ok Pin Cow Ref Optional Lazy Proxy Pick Partial Readonly Required Omit'.split(
    ' ',
  ),
)

/** The one type that a text says a variable is of. */
export function typeOf(name: string, text: string, isGo: boolean): string | undefined {
  const x = String.raw`(?<![\w])[$@]?${escape(name)}`
  const forms = [
    String.raw`${x}\??\s*:\s*(?:&(?:mut\s+)?|\*)?(?:readonly\s+)?([A-Z]\w*)\b(?!\s*[.|&[(<])`,
    String.raw`${x}\s*:?=\s*(?:await\s+)?(?:new\s+|&)?([A-Z]\w*)\s*(?:<[^<>\n]*>)?\s*(?:\(|\{|::new\b|\.new\b)`,
    String.raw`(?<![\w.])([A-Z]\w*)(?:<[^<>\n]*>)?(?:\s+|\s*[*&]\s*)${x}\s*[=;,)({:]`,
    ...(isGo ? [String.raw`${x}\s+\*?([A-Z]\w*)\b`] : []),
  ]
  const types = new Set<string>()
  for (const form of forms) {
    for (const [, type = ''] of text.slice(0, MOST_TEXT).matchAll(new RegExp(form, 'g'))) types.add(type)
  }
  const [type] = types
  return types.size === 1 && type !== undefined && !WRAPPERS.has(type) ? type : undefined
}

/** The import, as written, that a name comes from. */
export function importedFrom(
  name: string,
  source: string,
): { readonly origin: string; readonly isNamed?: true } | undefined {
  const x = escape(name)
  const forms = [
    String.raw`\bimport\s+(?:type\s+)?(?:\*\s*as\s+)?${x}\b[^;'"\n]*from\s*["']([^"'\n]+)["']`,
    String.raw`\b(?:const|let|var)\s+${x}\s*=\s*(?:await\s+)?(?:require|import)\(\s*["']([^"'\n]+)["']`,
    String.raw`^[ \t]*(from\s+[\w.]+\s+import\s+(?:\([^)]{0,500}\b${x}\b[^)]{0,500}\)|[^\n(]{0,300}\b${x}\b[^\n]*))`,
    String.raw`^[ \t]*(import\s+(?:[\w.]+\.)?${x})[ \t]*(?:#.*)?$`,
    String.raw`^[ \t]*(import\s+[\w.]+\s+as\s+${x})[ \t]*(?:#.*)?$`,
    String.raw`^[ \t]*(?:import\s+)?${x}\s+"([^"\n]+)"[ \t]*$`,
    String.raw`^[ \t]*(?:import\s+)?"([^"\n]*/${x}|${x})"[ \t]*$`,
  ]
  const text = source.slice(0, MOST_IMPORTS)
  for (const form of forms) {
    const [, written] = new RegExp(form, 'm').exec(text) ?? []
    if (written !== undefined) return { origin: written.replace(/\s+as\s+\w+$/, '') }
  }
  const [, module] =
    new RegExp(String.raw`\bimport\s[^;'"]{0,100}\{[^}]{0,500}\b${x}\b[^}]{0,500}\}\s*from\s*["']([^"'\n]+)["']`).exec(
      text,
    ) ?? []
  return module === undefined ? undefined : { origin: module, isNamed: true }
}
