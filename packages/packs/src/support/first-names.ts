/** The first of some names, and how many more there are: `a, b and 3 more`. */
export function firstNames(names: readonly (string | number)[], most: number): string {
  const more = names.length - most
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
