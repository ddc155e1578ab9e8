import type { Facts, Placed } from './facts.ts'

/** `LIMIT = 2` at the top of the file that defines `LIMIT` is that one. */
export function isSameVariable({ target, isMember, holder }: Facts, { file, place }: Placed): boolean {
  if (isMember || file !== target.file || !place.scope || place.imported !== undefined) return false
  const { from, to } = place.scope
  const { at } = target.definition
  if (holder) return from === holder.from && to === holder.to
  return from === 0 && at < to && !/^(?:function|class)$/.test(place.within?.kind ?? '')
}

/** Is there a variable of the same name around? */
export function isShadowed(facts: Facts, { file, place }: Placed): boolean {
  return (facts.locals.get(file) ?? []).some(other => {
    const { scope } = other.place
    if (!scope || isSameVariable(facts, other)) return false
    return scope.from <= place.at && place.at < scope.to
  })
}
