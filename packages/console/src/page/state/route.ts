import { signal } from '@preact/signals'

/** The views of the page. */
export const VIEWS = ['Tools', 'Resources', 'Prompts', 'Live', 'Servers', 'Connect'] as const
/** One of them. */
export type View = (typeof VIEWS)[number]

/** Where the page is: a view, and what is open in it. */
export interface Route {
  readonly view: View
  readonly item: string | undefined
}

/** The address of a view, or of something in it. */
export const href = (view: View, item?: string): string =>
  `#/${view.toLowerCase()}${item === undefined ? '' : `/${encodeURIComponent(item)}`}`

const read = (): Route => {
  const [, view = '', item] = /^#\/(\w+)(?:\/(.*))?$/.exec(location.hash) ?? []
  const found = VIEWS.find(name => name.toLowerCase() === view) ?? 'Tools'
  return { view: found, item: item === undefined || item === '' ? undefined : decoded(item) }
}

/** What the address says now. */
export const route = signal<Route>(read())

addEventListener('hashchange', () => (route.value = read()))

/** Go there. */
export function go(view: View, item?: string): void {
  location.hash = href(view, item)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
