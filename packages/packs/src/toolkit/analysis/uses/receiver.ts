const LOOK_BACK = 200
const MOST_TEXT = 200_000
const SEPARATOR = /(?:\?\.|!\.|(?<!\.)\.|->|::)\s*$/

/** What stands before the dot. */
export interface Receiver {
  /** As written, the last part of a chain; empty if it is no name. */
  readonly name: string
  /** More stands before it. */
  readonly isChain: boolean
  readonly separator: string
  /** What type it is, if the text around says so. */
  readonly type?: string
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
  const [, chain = '', name = ''] = /((?:\.|->|::|\?\.|!\.)\s*)?([\p{L}_$@][\p{L}\p{N}_$]*)!?$/u.exec(left) ?? []
  const [, module] = /\brequire\(\s*["']([^"']+)["']\s*\)$/.exec(left) ?? []
  const [, made] = /(?:\bnew\s+|(?<![\w.]))([A-Z]\w*)\s*(?:<[^<>]*>)?\([^()]*\)\)?$/.exec(left) ?? []
  return {
    name: name.replace(/^[$@]+/, ''),
    isChain: chain !== '',
    separator,
    ...(made !== undefined && { type: made }),
    ...(module !== undefined && { module }),
  }
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The one type that a text says a variable is of. */
export function typeOf(name: string, text: string, isGo: boolean): string | undefined {
  const x = String.raw`(?<![\w])[$@]?${escape(name)}`
  const forms = [
    String.raw`${x}\??\s*:\s*(?:&(?:mut\s+)?|\*)?(?:readonly\s+)?([A-Z]\w*)\b(?!\s*[.|&[(])`,
    String.raw`${x}\s*:?=\s*(?:await\s+)?(?:new\s+|&)?([A-Z]\w*)\s*(?:<[^<>\n]*>)?\s*(?:\(|\{|::new\b|\.new\b)`,
    String.raw`(?<![\w.])([A-Z]\w*)(?:<[^<>\n]*>)?(?:\s+|\s*[*&]\s*)${x}\s*[=;,)({:]`,
    ...(isGo ? [String.raw`${x}\s+\*?([A-Z]\w*)\b`] : []),
  ]
  const types = new Set<string>()
  for (const form of forms) {
    for (const [, type = ''] of text.slice(0, MOST_TEXT).matchAll(new RegExp(form, 'g'))) types.add(type)
  }
  return types.size === 1 ? [...types][0] : undefined
}
