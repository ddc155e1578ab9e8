import type { Language } from '../parse/grammar.ts'
import type { Definition } from '../symbols/definition.ts'

// Marks that change what something is, and run nothing.
const PASSIVE =
  /^(?:dataclass|overload|property|final|override|staticmethod|classmethod|abstractmethod|cache|lru_cache|cached_property|contextmanager|asynccontextmanager|wraps|total_ordering|unique|runtime_checkable|deprecated|suppresswarnings|functionalinterface|nullable|nonnull|notnull|immutable|documented|retention|target|inherited|obsolete|serializable|flags|debuggerdisplay|editorbrowsable|allow|cfg|cfg_attr|derive|doc|inline|must_use|non_exhaustive|repr|warn|deny|expect|macro_use|path|automatically_derived|cold|track_caller|rustfmt|error)$/i
const MARK = /^[ \t]*(?:@|#\[|\[)\s*([\w.:]+)/gm
const MOST = 2000

/** Does a mark say that something else runs it: `@app.route(…)`, `@Component`, `#[no_mangle]`? */
export function isRegistered({ depth, from, at }: Definition, source: string): boolean {
  if (depth > 0) return false
  const own = source.slice(from, at)
  return hasActive(own.slice(0, MOST)) || hasActive(marksBefore(source, from))
}

/** The lines right before a place that are marks, with what they are given. */
function marksBefore(source: string, from: number): string {
  const before = source.slice(Math.max(0, from - MOST), source.lastIndexOf('\n', from) + 1)
  const lines = before.split('\n').slice(0, -1)
  let first = lines.length
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (/^[ \t]*(?:@|#\[|\[)/.test(line)) first = at
    // What a mark is given may take several lines.
    else if (!/^[ \t]+\S|^[)\]]/.test(line)) break
  }
  return lines.slice(first).join('\n')
}

const hasActive = (text: string): boolean =>
  [...text.matchAll(MARK)].some(([, name = '']) => !PASSIVE.test(name.split(/[.:]+/).at(-1) ?? ''))

const GUARD =
  /^if[ \t]+__name__[ \t]*==[ \t]*["']__main__["']|^if[ \t]+(?:__FILE__[ \t]*==[ \t]*\$0|\$0[ \t]*==[ \t]*__FILE__)/m

/** Does a file say that it is a program? */
export const runsItself = (source: string, language: Language): boolean =>
  source.startsWith('#!') || ((language === 'python' || language === 'ruby') && GUARD.test(source))
