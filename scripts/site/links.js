import { posix } from 'node:path'

/** Links of pages that lead to no page, or to no heading of one. */
export function brokenLinks(pages) {
  const byPath = new Map(pages.map(page => [page.path, page]))
  return pages.flatMap(page =>
    page.links.flatMap(({ href, target }) => {
      if (target.startsWith('missing:')) return [`${page.file}: ${href}`]
      if (/^[a-z]+:/i.test(target)) return []
      const [path, anchor] = target.split('#')
      const to = path === '' ? page : byPath.get(posix.normalize(posix.join(posix.dirname(page.path), path)))
      if (!to) return [`${page.file}: ${href}`]
      return anchor === undefined || to.ids.has(anchor) ? [] : [`${page.file}: ${href}, where there is no such section`]
    }),
  )
}
