import { posix } from 'node:path'
import { escaped } from './highlight.js'

/** A whole page: navigation, the text, what is on the page. */
export function layout(page, { pages, version }) {
  const up = posix.relative(posix.dirname(page.path), '.') || '.'
  const to = path => `${up}/${path}`
  const groups = [...new Set(pages.map(({ group }) => group))]
  const item = one =>
    `<li><a href="${to(one.path)}"${one === page ? ' aria-current="page"' : ''}>${escaped(one.title)}</a></li>`
  const navigation = groups.map(group => {
    const inside = pages.filter(one => one.group === group)
    const isOpen = inside.includes(page) || group !== 'API reference'
    return `<details${isOpen ? ' open' : ''}><summary>${escaped(group)}</summary><ul>${inside.map(item).join('')}</ul></details>`
  })
  const toc = page.headings
    .filter(({ depth }) => depth === 2 || (depth === 3 && page.headings.length < 40))
    .map(
      ({ depth, id, html }) => `<li class="d${depth}"><a href="#${id}">${html.replaceAll(/<\/?a[^>]*>/g, '')}</a></li>`,
    )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · Causeway ${version}</title>
<link rel="stylesheet" href="${to('site.css')}">
<script>try { document.documentElement.dataset.theme = localStorage.getItem('theme') ?? '' } catch {}</script>
<script defer src="${to('../versions.js')}"></script>
<script defer src="${to('site.js')}" data-up="${up}" data-version="${version}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<button id="menu" type="button" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="home" href="${to('index.html')}">Causeway</a>
<select id="versions" aria-label="Version"><option>${version}</option></select>
<div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results"><ul id="results" role="listbox" hidden></ul></div>
<button id="theme" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Pages">${navigation.join('\n')}</nav>
<main id="text">
${page.html}
</main>
<aside aria-label="On this page">${toc.length > 1 ? `<p>On this page</p><ul>${toc.join('')}</ul>` : ''}</aside>
</div>
</body>
</html>
`
}
