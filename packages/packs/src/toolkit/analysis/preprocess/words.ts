const list = (words: string): Set<string> => new Set(words.split(/\s+/))

/** Words of C++ that are names in C. */
export const ONLY_CPP: ReadonlySet<string> = list(`and and_eq bitand bitor catch class compl concept consteval constexpr
  constinit const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export final friend mutable
  namespace new noexcept not not_eq operator or or_eq override private protected public reinterpret_cast requires
  static_cast template this throw try typeid typename using virtual xor xor_eq`)

/** Types that the language itself names, as far as the parser knows them. */
export const BASE_TYPES: ReadonlySet<string> = list(`unsigned signed char short int long float double void bool size_t
  ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t _Bool char16_t
  char32_t wchar_t max_align_t nullptr_t`)

/** Words that begin, or are, the name of a type. */
export const TYPE_WORDS: ReadonlySet<string> = new Set([...BASE_TYPES, ...list('const volatile struct union enum')])

/** Words that begin a declaration. */
export const SPECIFIERS: ReadonlySet<string> =
  list(`static inline extern const volatile struct union enum unsigned signed
  char short int long float double void bool size_t ssize_t register constexpr virtual explicit friend typedef auto
  template class`)

/** Words behind which the name of a type may come. */
export const QUALIFIERS: ReadonlySet<string> = list(`static inline extern const volatile struct union enum register
  constexpr virtual explicit friend typedef class return else case goto new throw`)

/** Words that stand before a bracket without being called. */
export const STATEMENTS: ReadonlySet<string> = list(`if for while switch return sizeof catch case else do goto throw new
  delete alignof _Alignof alignas _Alignas decltype typeof __typeof__ __attribute__ __attribute __declspec defined
  operator noexcept static_assert _Static_assert asm __asm__ __asm volatile __volatile__ requires and or not co_await
  co_return co_yield break continue default using template typename namespace class struct union enum const static
  extern inline typedef void int char long short unsigned signed float double bool auto in out`)

/** Words that follow the parameters of a function. */
export const TRAILING: ReadonlySet<string> = list('const override final noexcept volatile try throw requires mutable')

/** Written as macros are. */
export const isShouted = (word: string): boolean => /^_*[A-Z][A-Z0-9_]*[A-Z0-9]$/.test(word)
