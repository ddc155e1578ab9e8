/** The first sentence of a page that is text. */
const aboutOf = ({ markdown }) =>
  markdown
    .split('\n\n')
    .find(part => /^[A-Z`*[]/.test(part) && !part.startsWith('|'))
    ?.replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/(?<=[.!?:])\s/)[0] ?? ''

/** What there is, a line per page, for models: https://llmstxt.org. */
export function llmsText(pages, version) {
  const groups = Map.groupBy?.(pages, ({ group }) => group) ?? grouped(pages)
  const lines = [...groups].map(([group, all]) =>
    [`## ${group}`, '', ...all.map(page => `- [${page.title}](${version}/${page.path}): ${aboutOf(page)}`)].join('\n'),
  )
  return `# Causeway\n\n> Tools, a TypeScript engine and a gateway for the Model Context Protocol.\n\n${lines.join('\n\n')}\n`
}

function grouped(pages) {
  const groups = new Map()
  for (const page of pages) groups.set(page.group, [...(groups.get(page.group) ?? []), page])
  return groups
}

/** All pages in one text. */
export const llmsFullText = pages =>
  pages.map(({ file, markdown }) => `<!-- ${file} -->\n\n${markdown.trim()}\n`).join('\n')
