import { wordsOf } from '../ranking/words.ts'

/** Where code is written: a language, and a framework of it. */
export interface Setting {
  readonly language?: string | undefined
  readonly framework?: string | undefined
}

/** What somebody is about to build. */
export interface Query extends Setting {
  readonly context: string
}

/** The frameworks that every pattern has code for, and their languages. */
export const CODED: Readonly<Record<string, string>> = {
  flask: 'python',
  fastapi: 'python',
  django: 'python',
  express: 'typescript',
}

/** The frameworks that are answered with advice instead of code, and their languages. */
export const ADVISED: Readonly<Record<string, string>> = {
  rails: 'ruby',
  spring: 'java',
  gin: 'go',
  nextjs: 'typescript',
}

/** Every language that can be asked for. */
export const LANGUAGES: readonly string[] = ['python', 'javascript', 'typescript', 'ruby', 'java', 'go']
/** Every framework that can be asked for; `any` is the same as none. */
export const FRAMEWORKS: readonly string[] = [...Object.keys(CODED), ...Object.keys(ADVISED), 'any']

const DIALECTS: Readonly<Record<string, string>> = { javascript: 'typescript' }

/** How a text names a framework; words with another meaning count only together. */
const MENTIONS: readonly (readonly [string, string])[] = [
  ...Object.keys(CODED).map(name => [name, name] as const),
  ['drf', 'django'],
  ['expressjs', 'express'],
  ['rails', 'rails'],
  ['spring boot', 'spring'],
  ['spring security', 'spring'],
  ['spring mvc', 'spring'],
  ['gin handler', 'gin'],
  ['gin router', 'gin'],
  ['gin-gonic', 'gin'],
  ['next.js', 'nextjs'],
  ['nextjs', 'nextjs'],
]

/** One name for the dialects of a language. */
export const languageOf = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : (DIALECTS[name] ?? name)

/** What was asked for, and where nothing was, what the text mentions. */
export function settingOf({ context, language, framework }: Query): Setting {
  const named = framework === 'any' ? undefined : framework
  if (named !== undefined || language !== undefined) return { language: languageOf(language), framework: named }
  return { framework: frameworkIn(context), language: undefined }
}

function frameworkIn(context: string): string | undefined {
  const words = ` ${wordsOf(context).join(' ')} `
  return MENTIONS.find(([name]) => words.includes(` ${wordsOf(name).join(' ')} `))?.[1]
}

/** Is the answer for this setting advice, because there is no code for it? */
export function isAdvised({ language, framework }: Setting): boolean {
  if (framework !== undefined) return framework in ADVISED
  return language !== undefined && !Object.values(CODED).includes(languageOf(language) ?? '')
}
