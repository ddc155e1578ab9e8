import { isObject } from '@causeway/engine/internal'
import { stripVTControlCharacters } from 'node:util'

interface Output {
  readonly output_type?: unknown
  readonly text?: unknown
  readonly data?: Readonly<Record<string, unknown>>
  readonly ename?: unknown
  readonly evalue?: unknown
}

interface Cell {
  readonly cell_type?: unknown
  readonly source?: unknown
  readonly outputs?: unknown
}

const LONGEST_OUTPUT = 4000

/** A Jupyter notebook as text: its cells one after the other, each with what it printed; undefined if it is none. */
export function notebookText(json: string): string | undefined {
  let notebook: unknown
  try {
    notebook = JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
  if (!isObject(notebook) || !Array.isArray(notebook.cells)) return undefined
  return (notebook.cells as unknown[]).map((cell, i) => cellText(isObject(cell) ? cell : {}, i + 1)).join('\n')
}

function cellText(cell: Cell, number: number): string {
  const kind = typeof cell.cell_type === 'string' ? cell.cell_type : 'unknown'
  const outputs = (Array.isArray(cell.outputs) ? (cell.outputs as unknown[]) : []).filter(isObject).map(outputText)
  const shown = outputs.filter(text => text !== '').map(text => `--- output\n${ended(text)}`)
  return `=== cell ${number} (${kind})\n${ended(joined(cell.source))}${shown.join('')}`
}

function outputText(output: Output): string {
  const { data = {}, ename, evalue } = output
  if (output.output_type === 'error') return `${joined(ename)}: ${joined(evalue)}`
  const text = joined(output.text ?? data['text/plain'])
  const others = Object.keys(data).filter(type => !type.startsWith('text/'))
  const clean = stripVTControlCharacters(text)
  const cut = clean.length > LONGEST_OUTPUT ? `${clean.slice(0, LONGEST_OUTPUT)}… [${clean.length} characters]` : clean
  return [cut, ...others.map(type => `[${type}]`)].filter(part => part !== '').join('\n')
}

/** Text is written as a string, or as a list of lines with their ends. */
const joined = (text: unknown): string =>
  Array.isArray(text) ? (text as unknown[]).map(String).join('') : typeof text === 'string' ? text : ''
const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
