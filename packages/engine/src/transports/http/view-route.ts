import type { View } from '../../call.ts'
import { Refusal } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import type { Route } from './routes.ts'
import { streamableHttp } from '../endpoints/streamable-http.ts'
import type { HttpShared } from '../endpoints/http-shared.ts'

/** The named parts of a server; they may come and go while it serves. */
export interface Views {
  find(name: string): View | undefined
  readonly names: readonly string[]
}

const PREFIX = '/mcp/'

/** Streamable HTTP for one part of the server: sessions, limits and tokens as for all of it. */
export const viewRoute = (views: Views, shared: HttpShared, isPrivate: boolean): Route => ({
  path: `${PREFIX}*`,
  handle: exchange => streamableHttp(exchange, { ...shared, view: viewOf(exchange, views, isPrivate) }),
})

/** The other names are shown only to clients with a token, or if only this machine can ask. */
function viewOf({ path, principal }: Exchange, views: Views, isPrivate: boolean): View {
  const name = viewNameIn(path)
  const view = views.find(name)
  if (view) return view
  const words = [`There is no virtual server '${name.slice(0, 100)}'.`]
  const { names } = views
  if (principal || isPrivate) {
    words.push(names.length === 0 ? 'There are none.' : `Virtual servers: ${names.slice(0, 100).join(', ')}.`)
  }
  throw new Refusal(404, words.join(' '))
}

/** The name of the part that a path asks for; empty for the whole server. */
export const viewNameIn = (path: string): string => (path.startsWith(PREFIX) ? decoded(path.slice(PREFIX.length)) : '')

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
