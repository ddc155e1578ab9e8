import { applyBulkEdits } from './bulk-edits.ts'
import type { Edit } from './bulk-edits.ts'

/** An edit that does not fit: which one, why, and the text as it was when its turn came. */
export class EditError extends Error {
  override readonly name = 'EditError'
  readonly text: string
  readonly missing: string | undefined

  constructor(message: string, text: string, missing?: string) {
    super(message)
    this.text = text
    this.missing = missing
  }
}

const MOST_NAMED = 5
// Beyond so many letters to look through, it pays to look for all edits in one pass.
const MUCH = 20_000_000
const FEW = 8
const LONE_LF = /(?<!\r)\n/

/** The text with every edit made, one after the other; an edit that does not fit exactly throws, and nothing is done. */
export function applyEdits(text: string, edits: readonly Edit[], much: number = MUCH): string {
  // Where every line ends with CRLF, all edits mean that; else each is tried as it is first.
  const isWindows = text.length * edits.length > much && text.includes('\r\n') && !LONE_LF.test(text)
  const meant = isWindows ? edits.map(edit => ({ ...withLineEnds(text, edit), asWritten: edit.oldText })) : edits
  let [current, done, pause, wait] = [text, 0, 0, 0]
  while (done < edits.length) {
    const isMuch = wait === 0 && current.length * (edits.length - done) > much
    // What an edit wrote with LF, a later one may mean.
    if (isMuch && !(isWindows && LONE_LF.test(current))) {
      const many = applyBulkEdits(current, meant.slice(done))
      current = many.text
      done += many.made
      // Looking for all that are left does not pay where few of them are simple.
      pause = many.made < FEW ? pause * 2 + 1 : 0
      wait = pause
    } else wait = Math.max(0, wait - 1)
    const edit = edits[done]
    if (edit) current = applied(current, edit, `Edit ${done + 1} of ${edits.length}`)
    done += 1
  }
  return current
}

function applied(text: string, edit: Edit, which: string): string {
  if (edit.oldText === '') throw new EditError(`${which}: oldText must not be empty`, text)
  const asWritten = text.indexOf(edit.oldText)
  const { oldText, newText, replaceAll = false } = asWritten < 0 ? withLineEnds(text, edit) : edit
  const first = asWritten < 0 ? text.indexOf(oldText) : asWritten
  if (first < 0) throw new EditError(`${which}: oldText was not found in the file.`, text, edit.oldText)
  if (replaceAll) return text.split(oldText).join(newText)
  if (text.includes(oldText, first + oldText.length)) throw notUnique(text, oldText, which)
  return text.slice(0, first) + newText + text.slice(first + oldText.length)
}

/** In a file with CRLF a model that sees lines writes LF: mean what it means. */
export function withLineEnds(text: string, edit: Edit): Edit {
  if (!edit.oldText.includes('\n') || !text.includes('\r\n')) return edit
  const crlf = (words: string): string => words.replaceAll(/\r?\n/g, '\r\n')
  return { ...edit, oldText: crlf(edit.oldText), newText: crlf(edit.newText) }
}

function notUnique(text: string, part: string, which: string): EditError {
  const lines: number[] = []
  let [count, line, counted] = [0, 1, 0]
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    if (++count > MOST_NAMED) continue
    for (let i = text.indexOf('\n', counted); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) {
      line++
      counted = i + 1
    }
    lines.push(line)
  }
  const where = `${lines.join(', ')}${count > lines.length ? ' and others' : ''}`
  const words = `oldText occurs ${count} times, on line${new Set(lines).size === 1 ? '' : 's'} ${where}.`
  return new EditError(`${which}: ${words} Add lines around it until it is unique, or set replaceAll.`, text)
}
