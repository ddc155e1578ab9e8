import { extensionsOf } from './grammar.ts'

const OTHERS: Readonly<Record<string, string>> = {
  Ada: 'adb ads',
  Apex: 'cls trigger',
  Assembly: 's asm',
  Astro: 'astro',
  Clojure: 'clj cljs cljc',
  COBOL: 'cob cbl cpy',
  CoffeeScript: 'coffee',
  Crystal: 'cr',
  CUDA: 'cu cuh',
  D: 'd',
  Dart: 'dart',
  Elixir: 'ex exs',
  Elm: 'elm',
  Erlang: 'erl hrl',
  'F#': 'fs fsi fsx',
  Fortran: 'f f90 f95 f03 f08',
  GLSL: 'glsl vert frag',
  Groovy: 'groovy gradle',
  Haskell: 'hs lhs',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Lua: 'lua',
  Nim: 'nim',
  'Objective-C': 'm mm',
  OCaml: 'ml mli',
  Pascal: 'pas dpr',
  Perl: 'pl pm',
  PowerShell: 'ps1 psm1',
  R: 'r',
  Racket: 'rkt',
  Scala: 'scala sc',
  Scheme: 'scm ss',
  Shell: 'sh bash zsh ksh fish',
  Solidity: 'sol',
  SQL: 'sql',
  Svelte: 'svelte',
  Swift: 'swift',
  Tcl: 'tcl',
  'Visual Basic': 'vb bas',
  Verilog: 'v sv svh',
  VHDL: 'vhd vhdl',
  Vue: 'vue',
  Zig: 'zig',
}

const BY_ENDING = new Map<string, string>(
  Object.entries(OTHERS).flatMap(([language, endings]) =>
    endings.split(' ').map(one => [`.${one}`, language] as const),
  ),
)
for (const ending of extensionsOf()) BY_ENDING.delete(ending)

/** The language of a source file that no parser here reads; undefined for data, prose and what is read. */
export function unreadLanguageOf(path: string): string | undefined {
  const dot = path.lastIndexOf('.')
  return dot < 0 ? undefined : BY_ENDING.get(path.slice(dot).toLowerCase())
}
