import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Marked } from 'marked'
import { escaped, highlighted } from './highlight.js'

/** A page as HTML, with its headings, the text to search and its links. */
export function renderPage(page, { known, source, root }) {
  const headings = []
  const links = []
  const ids = new Map()
  const idOf = text => {
    const slug = text
      .toLowerCase()
      .replaceAll(/<[^>]*>|&\w+;/g, '')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const count = ids.get(slug) ?? 0
    ids.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const id = idOf(text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''))
        const html = this.parser.parseInline(tokens)
        headings.push({ depth, id, html })
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`
      },
      code: ({ text, lang }) =>
        `<pre tabindex="0"><button class="copy" type="button">Copy</button><code>${highlighted(text, lang ?? '')}</code></pre>\n`,
      table(token) {
        return `<div class="table" tabindex="0">${tableOf(this.parser, token)}</div>\n`
      },
      link({ href, tokens }) {
        const target = hrefOf(href, page, { known, source, root })
        links.push({ href, target })
        return `<a href="${escaped(target)}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }) {
        return `<img src="${escaped(hrefOf(href, page, { known, source, root }))}" alt="${escaped(text)}" loading="lazy">`
      },
    },
  })
  const html = marked.parse(page.markdown)
  return { ...page, html, headings, links, sections: sectionsOf(page), ids: idsIn(html) }
}

function tableOf(parser, { header, rows }) {
  const cell = (tag, { tokens, align }) =>
    `<${tag}${align ? ` style="text-align:${align}"` : ''}>${parser.parseInline(tokens)}</${tag}>`
  const line = (tag, cells) => `<tr>${cells.map(one => cell(tag, one)).join('')}</tr>`
  return `<table><thead>${line('th', header)}</thead><tbody>${rows.map(row => line('td', row)).join('')}</tbody></table>`
}

const idsIn = html => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))

/** Links between pages stay within the site; any other file is in the repository. */
function hrefOf(href, page, { known, source, root }) {
  if (/^[a-z]+:|^#/i.test(href)) return href
  const [path, anchor] = href.split('#')
  const file = posix.normalize(posix.join(posix.dirname(page.file), path))
  const hash = anchor === undefined ? '' : `#${anchor}`
  const target = known.get(file) ?? known.get(`${file}/README.md`)
  if (target) return posix.relative(posix.dirname(page.path), target.path) + hash
  if (file.startsWith('docs/images/')) return posix.relative(posix.dirname(page.path), file)
  return existsSync(join(root, file)) ? source + file + hash : `missing:${href}`
}

/** The text of each section, for the search. */
function sectionsOf({ markdown, title }) {
  const seen = new Map()
  const sections = [{ heading: title, id: '', text: '' }]
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const heading = isCode ? undefined : /^#{2,4} (.+)$/.exec(line)?.[1]
    if (heading === undefined) {
      sections.at(-1).text += `${line} `
      continue
    }
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
    const slug = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    sections.push({ heading: plain, id: count === 0 ? slug : `${slug}-${count}`, text: '' })
  }
  return sections.map(({ heading, id, text }) => ({ heading, id, text: wordsOf(text) }))
}

const wordsOf = text =>
  text
    .replaceAll(/<!--.*?-->|[`*|#>]|\]\([^)]*\)|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 4000)
