import { glob } from './glob.ts'

/** What a `.gitignore` says of a path below it: true is out, false is in after all, undefined is nothing. */
export type Rules = (path: string, isDirectory: boolean) => boolean | undefined

/** Read the rules of a `.gitignore`; the last one that matches decides. */
export function ignoreRules(text: string): Rules {
  const rules = text.split('\n').flatMap(toRule).toReversed()
  return (path, isDirectory) => {
    const rule = rules.find(({ onlyDirectories, test }) => (isDirectory || !onlyDirectories) && test(path))
    return rule && !rule.isException
  }
}

interface Rule {
  readonly isException: boolean
  readonly onlyDirectories: boolean
  test(path: string): boolean
}

function toRule(line: string): Rule[] {
  const trimmed = line.replace(/\r$/, '').replace(/(?<!\\) +$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return []
  const isException = trimmed.startsWith('!')
  const pattern = isException ? trimmed.slice(1) : trimmed
  const onlyDirectories = pattern.endsWith('/')
  const bare = onlyDirectories ? pattern.slice(0, -1) : pattern
  return bare === '' ? [] : [{ isException, onlyDirectories, test: glob(bare) }]
}
