import { eachLine } from '../finding.ts'
import type { Parser } from '../finding.ts'

const ERROR = /^([^\s:][^:]*):(\d+)(?::(\d+))?: (?:fatal )?error: (.+)$/
const LINKER =
  /^(?:\S*ld(?:\.\w+)?: )?(?:([^\s:][^:]*):\(\S+\): )?((?:undefined reference to|multiple definition of|cannot find -l).+)$/

/** Errors of gcc, clang, javac and linkers. */
export const gcc: Parser = lines => [
  ...eachLine(lines, ERROR, ([, file, line, column, title = '']) => ({
    place: [file, line, column].filter(part => part !== undefined).join(':'),
    title,
  })),
  ...eachLine(lines, LINKER, ([, place, title = '']) => ({ place, title })),
]
