/** One setting: its key as git lists it (`section.subsection.name`, section and name in lower case), and its value. */
export type Setting = readonly [key: string, value: string]

const HEADER = /\[([\w.-]+)(?:[ \t]+"((?:[^"\\\n\0]|\\[^\n\0])*)")?[ \t]*\]/y
const BLANK = /(?:[ \t\r\n\uFEFF]+|[#;][^\n]*)+/y
// Quoted, escaped and plain pieces begin with different characters, so this never tries anything twice.
const VARIABLE =
  /([A-Za-z][\w-]*)[ \t]*(?:=[ \t]*((?:"(?:[^"\\\n]|\\[^])*"|\\[^]|[^\n#;"\\])*))?(?:[#;][^\n]*)?(?:\n|$)/y
const PIECE = /"((?:[^"\\\n]|\\[^])*)"|\\([^])|[^"\\]+/g
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\', '\n': '' }

/** Read a configuration file as data: nothing is included, nothing is looked up. */
export function parseConfig(text: string): Setting[] {
  const settings: Setting[] = []
  let section = ''
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  for (;;) {
    take(BLANK)
    if (at >= text.length) return settings
    const header = take(HEADER)
    const variable = header ? null : take(VARIABLE)
    if (header) section = sectionOf(header[1] ?? '', header[2])
    else if (variable && section !== '') {
      settings.push([`${section}.${(variable[1] ?? '').toLowerCase()}`, valueOf(variable[2])])
    } else throw new Error(`line ${text.slice(0, at).split('\n').length} of its configuration is no setting`)
  }
}

function sectionOf(name: string, subsection: string | undefined): string {
  const section = name.toLowerCase()
  return subsection === undefined ? section : `${section}.${subsection.replaceAll(/\\([^])/g, '$1')}`
}

/** A variable without a value is switched on. */
function valueOf(raw: string | undefined): string {
  if (raw === undefined) return 'true'
  let value = ''
  let solid = 0
  for (const [whole, quoted, escaped] of raw.replaceAll('\r\n', '\n').matchAll(PIECE)) {
    if (quoted !== undefined) value += quoted.replaceAll(/\\([^])/g, (_, c: string) => ESCAPES[c] ?? c)
    else if (escaped === undefined) value += whole
    else value += ESCAPES[escaped] ?? escaped
    if (quoted !== undefined || escaped !== undefined) solid = value.length
  }
  return value.slice(0, solid) + value.slice(solid).trimEnd()
}

/** Write settings as a configuration file. */
export const formatConfig = (settings: readonly Setting[]): string =>
  settings
    .map(([key, value]) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
      const subsection = first === last ? '' : ` "${key.slice(first + 1, last).replaceAll(/["\\]/g, '\\$&')}"`
      const escaped = value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
      return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)} = "${escaped}"\n`
    })
    .join('')

/** The last value of a key, as git takes it. */
export const lastOf = (settings: readonly Setting[], key: string): string | undefined =>
  settings.findLast(([candidate]) => candidate === key)?.[1]

/** Is a setting switched on? */
export const isOn = (value: string | undefined): boolean => /^(?:true|yes|on|[1-9]\d*)$/i.test(value ?? '')

const SWITCH = /^(?:true|false|yes|no|on|off|0|1)?$/i
const LINE = /^[^\0\n]{0,1000}$/
// What a repository may decide about itself: how its files and names are stored and shown, and by whom. Nothing here
// names a program, a file elsewhere, a server, or how much work is done at once.
const HARMLESS: readonly (readonly [key: RegExp, value: RegExp])[] = [
  [/^core\.(?:filemode|ignorecase|symlinks|precomposeunicode|trustctime|logallrefupdates)$/, SWITCH],
  [/^core\.(?:sparsecheckout|sparsecheckoutcone)$|^index\.sparse$/, SWITCH],
  [/^core\.checkstat$/, /^(?:default|minimal)$/i],
  [/^core\.autocrlf$/, /^(?:true|false|yes|no|on|off|0|1|input)$/i],
  [/^core\.safecrlf$/, /^(?:true|false|yes|no|on|off|0|1|warn)$/i],
  [/^core\.eol$/, /^(?:lf|crlf|native)$/i],
  [/^core\.abbrev$/, /^(?:auto|no|\d{1,2})$/i],
  [/^(?:user|author|committer)\.(?:name|email)$/, LINE],
  [/^i18n\.(?:commitencoding|logoutputencoding)$/, /^[\w.:-]{1,40}$/],
  [/^branch\.[^\0\n]+\.(?:remote|merge)$|^remote\.[^\0\n]+\.fetch$/, LINE],
  [/^diff\.algorithm$/, /^(?:myers|minimal|patience|histogram|default)$/i],
  [/^diff\.renames$/, /^(?:true|false|copies|copy)$/i],
]
const OWNERS: readonly (readonly [key: RegExp, value: RegExp])[] = [
  ...HARMLESS,
  [/^user\.useconfigonly$/, SWITCH],
  [/^core\.(?:excludesfile|attributesfile)$/, LINE],
]

const passing = (list: typeof HARMLESS, settings: readonly Setting[]): Setting[] =>
  settings.filter(([key, value]) => list.some(([name, allowed]) => name.test(key) && allowed.test(value)))

/** The settings of a repository that git gets. */
export const harmless = (settings: readonly Setting[]): Setting[] => passing(HARMLESS, settings)

/** The settings of the machine's owner that git gets. */
export const ownersHarmless = (settings: readonly Setting[]): Setting[] => passing(OWNERS, settings)

/** The filters that settings define: git would run them for files whose attributes name them. */
export const filtersIn = (settings: readonly Setting[]): string[] => [
  ...new Set(settings.flatMap(([key]) => /^filter\.([^\0\n]+)\.(?:clean|smudge|process)$/.exec(key)?.[1] ?? [])),
]
