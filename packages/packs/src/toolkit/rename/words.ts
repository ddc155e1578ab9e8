import { languageOf } from '../analysis/parse/grammar.ts'
import type { Language } from '../analysis/parse/grammar.ts'

const list = (words: string): Set<string> => new Set(words.trim().split(/\s+/))

const RESERVED = list(`abstract and any as assert async await base begin bool boolean break byte case catch char class
  const continue crate debugger def default defer del delete do double dyn elif else elsif end ensure enum except
  explicit export extends extern false final finally float fn for foreach from func function global go goto if impl
  implements import in inline instanceof int interface internal is lambda let lock long loop match mod module move mut
  namespace native new next nil nonlocal not null object operator or out override package pass private protected pub
  public raise range readonly redo ref register rescue retry return sealed select self short signed sizeof static
  struct super switch synchronized template then this throw throws trait transient true try type typedef typeof undef
  union unless unsafe unsigned until use using var virtual void volatile when where while with yield None True False`)
// Words that are names in some of the languages.
const NAMES: Readonly<Partial<Record<Language, ReadonlySet<string>>>> = {
  javascript: list(
    'and any assert base begin def dyn end fn func go impl lock loop match mod module move mut next nil not object or out pass raise range redo ref register rescue retry select self trait type then undef union unless until use when where as from of get set is',
  ),
  python: list(
    'any base bool boolean byte case char const crate default do double dyn end ensure enum explicit export final float fn func function go goto impl in int interface internal is let lock long loop match mod module move mut namespace native new next nil null object operator out override package private protected pub public range ref register retry select self short signed sizeof static struct super switch template then this throw trait type typedef typeof undef union unless unsafe unsigned until use using var virtual void volatile when where',
  ),
}

/** Why a name cannot be the name of something in this file; undefined if it can. */
export function whyInvalid(name: string, file: string): string | undefined {
  const language = languageOf(file)
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*[!?]?$/u.test(name)) return 'it is no name: letters, digits and _ only, no digit first'
  if (/[!?]$/.test(name) && language !== 'ruby') return 'only Ruby has names that end so'
  if (name.includes('$') && !/^(?:javascript|typescript|tsx|java|php)$/.test(language ?? ''))
    return `$ is no part of names in ${language}`
  return RESERVED.has(name) && !mayBeName(name, language) ? 'it is a word of the language' : undefined
}

function mayBeName(name: string, language: Language | undefined): boolean {
  const own = language === 'typescript' || language === 'tsx' ? 'javascript' : language
  return own !== undefined && NAMES[own]?.has(name) === true
}

const OTHERS = list(`add all append as_mut as_ref at borrow call capacity charAt chars chunk clear clone close collect
  compare compareTo compute contains containsKey copy count decode delete dispose drain each empty encode enqueue entry
  entrySet equals erase execute exists expect extend find finish first flush fmt from front get getClass getName getValue
  hash hashCode has hasNext index init insert into invoke is_empty is_some items iter join key keys keySet last len length
  lines list lock lower main map match max merge message min name new next notify now of open or_else order path peek ping
  poll pop position print push put query read readline recv register release remove replace reset resize resolve result
  resume reverse run save seek select send set size skip sleep sort split start starts_with status stop stream strip sub
  submit substring sum swap take test then title to_s to_string toArray toList toString trim try_into type unlock unwrap
  update upper url validate value values wait with write writeln yield bind begin end back data c_str str group format
  isEmpty stream toLowerCase startsWith endsWith ToString Equals GetHashCode Add Remove Contains Count Clear Dispose
  Append Write Read Close Flush Error String Len Less Swap Scan Print Printf Println`)

const BUILT_IN: ReadonlySet<string> = new Set([
  ...OTHERS,
  ...[Array, String, Map, Set, Promise, Object, Function, Number, RegExp, Date, Error, Uint8Array, ArrayBuffer].flatMap(
    one => Object.getOwnPropertyNames(one.prototype).concat(Object.getOwnPropertyNames(one)),
  ),
])

/** Do types that come with a language have members of this name? */
export const isBuiltIn = (name: string): boolean => BUILT_IN.has(name)
