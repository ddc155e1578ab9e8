/** The lines in which two texts differ: what was removed, then what was added. Enough for a change in one place. */
export function changedLines(before: string, after: string): readonly string[] {
  const [old, next] = [before, after].map(text => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))) as [
    string[],
    string[],
  ]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start++
  let end = 0
  const most = Math.min(old.length, next.length) - start
  while (end < most && old.at(-1 - end) === next.at(-1 - end)) end++
  return [
    ...old.slice(start, old.length - end).map(line => `- ${line}`),
    ...next.slice(start, next.length - end).map(line => `+ ${line}`),
  ]
}
