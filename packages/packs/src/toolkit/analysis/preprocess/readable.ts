import type { Language } from '../parse/grammar.ts'
import { preprocess } from './preprocess.ts'
import type { Readable } from './preprocess.ts'

export type { Readable } from './preprocess.ts'

/** A text as its parser can read it, each part where it was; nothing if that is the text itself. */
export function readable(file: string, source: string, language: Language): Readable | undefined {
  if (language === 'cpp' || language === 'csharp') return preprocess(file, source, language)
  return language === 'component' ? { text: scriptsOf(source), closing: new Map() } : undefined
}

const TAG = /<!--|-->|<script\b[^>]*>|<\/script\b/gi

/** The scripts of a single-file component; of all else only the lines are left. */
function scriptsOf(source: string): string {
  let text = ''
  let end = 0
  let inside: 'comment' | 'script' | undefined
  for (const { 0: tag, index } of source.matchAll(TAG)) {
    if (tag === '<!--' && inside === undefined) inside = 'comment'
    else if (tag === '-->' && inside === 'comment') inside = undefined
    else if (/^<s/i.test(tag) && inside === undefined) {
      inside = 'script'
      text += blank(source.slice(end, index + tag.length))
      end = index + tag.length
    } else if (tag.startsWith('</') && inside === 'script') {
      inside = undefined
      text += source.slice(end, index)
      end = index
    }
  }
  return text + (inside === 'script' ? source.slice(end) : blank(source.slice(end)))
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')
