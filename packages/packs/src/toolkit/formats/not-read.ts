/** Source files that no parser reads, by language. */
type Unread = Readonly<Record<string, number>>

/** Source files that no parser reads, for an answer; nothing if there are none. */
export const notRead = ({ unread }: { readonly unread: Unread }): { readonly not_read?: Unread } =>
  Object.keys(unread).length === 0 ? {} : { not_read: unread }

/** What an answer about all of a project does not cover, in a sentence; nothing if it covers everything. */
export function incomplete({
  unread,
  unresolved,
  faulty,
}: {
  readonly unread: Unread
  readonly unresolved: readonly unknown[]
  readonly faulty: readonly string[]
}): string | undefined {
  const gaps = [
    ...Object.entries(unread).map(([language, count]) => `${count} ${language} ${count === 1 ? 'file' : 'files'}`),
    ...(faulty.length > 0 ? [`${faulty.length} files that could not be parsed`] : []),
    ...(unresolved.length > 0 ? [`${unresolved.length} imports that could not be resolved`] : []),
  ]
  return gaps.length === 0 ? undefined : `Not covered: ${gaps.join(', ')}.`
}

/** The same for people. */
export function notReadNote({ unread }: { readonly unread: Unread }): string[] {
  const kinds = Object.entries(unread).sort(([, a], [, b]) => b - a)
  const all = kinds.reduce((sum, [, count]) => sum + count, 0)
  if (all === 0) return []
  return [
    `Not read, since no parser here knows the language: ${kinds.map(([l, n]) => `${n} ${l}`).join(', ')} ${all === 1 ? 'file' : 'files'}.`,
  ]
}
