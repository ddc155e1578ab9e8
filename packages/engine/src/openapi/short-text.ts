import { showInvisible } from '../untrusted/invisible.ts'

/** The first paragraph that says something; notes, headings and lists come later in most descriptions. */
export const firstParagraph = (description: string): string =>
  description
    .slice(0, 4000)
    .split(/\n\s*\n|\n(?=[#>*|-])/)
    .find(part => /^\s*[^\s#>*|-]/.test(part)) ?? description

/** The first sentences of a description, in one line, with nothing hidden in it. */
export function shortText(description: string, most: number): string {
  // Markdown that says nothing to a model: tags, images, and the addresses of links.
  const plain = showInvisible(description.slice(0, 8 * most + 200))
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, ' ')
    .replaceAll(/!?\[([^[\]]{0,200})\]\([^()\s]{0,500}\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (plain.length <= most) return plain
  const cut = plain.slice(0, most)
  const end = cut.search(/[.!?](?=\s[^.!?]*$)/)
  if (end > most / 3) return cut.slice(0, end + 1)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), most - 20))}…`
}
