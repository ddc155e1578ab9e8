import { block, eachLine } from '../finding.ts'
import type { Parser } from '../finding.ts'

const ERROR = /^error(?:\[(E\d+)\])?: (.+)$/
const ARROW = /^\s*--> (\S+:\d+:\d+)$/
// What only says that something above failed.
const CONCLUSION = /^(?:could not compile|test failed|aborting due|\d+ targets? failed|build failed)/
const PANIC = /^thread '([^']+)'(?: \(\d+\))? panicked at (?:(\S+:\d+:\d+):|'(.*)', (\S+:\d+:\d+))$/
const ENDS = /^(?:stack backtrace:|note: |---- |failures:)/

/** Errors of rustc, and tests that panicked. */
export const cargo: Parser = lines => [
  ...eachLine(lines, ERROR, ([, code, title = ''], at) => {
    const place = ARROW.exec(lines[at + 1] ?? '')?.[1]
    if (CONCLUSION.test(title) || (place === undefined && code === undefined)) return undefined
    const detail = block(lines, at + 2, line => line.trim() === '' || !/^[\s\d|=]/.test(line))
    return { place, title: code === undefined ? title : `${code}: ${title}`, detail }
  }),
  ...eachLine(lines, PANIC, ([, title = '', place, message, oldPlace], at) => {
    const detail = message === undefined ? block(lines, at + 1, line => line === '' || ENDS.test(line)) : [message]
    return { place: place ?? oldPlace, title, detail }
  }),
]
