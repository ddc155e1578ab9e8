import { after } from '../awaitable.ts'
import type { Handle } from '../call.ts'
import type { ComposedShelf } from '../catalog/composed-shelf.ts'
import { listPages } from '../catalog/page.ts'
import type { Paging } from '../catalog/page.ts'
import type { Entry } from '../catalog/shelf.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import type { Extension } from '../methods/extensions.ts'
import { uriOf } from '../methods/resources.ts'
import { directoryAt, dynamicAt } from './directories.ts'
import { SKILLS } from './skill.ts'

/** Where skills are found. */
interface SkillCatalog {
  readonly skills: ComposedShelf<Entry>
  /** Is there a source of skills that may have some? */
  readonly hasSkills: boolean
}

/** The skills of all sources as one: `skills/list`, `skills/get`, `resources/directory/read`. */
export function skillsExtension(catalog: SkillCatalog, paging: Omit<Paging, 'member'>): Extension {
  const { skills: shelf } = catalog
  const offered = (): boolean => catalog.hasSkills
  return {
    id: SKILLS,
    open: true,
    offered,
    capabilities: { directoryRead: true },
    methods: [
      {
        name: 'skills/list',
        run: listPages(shelf, { member: 'skills', ...paging }, undefined),
        cacheable: true,
        offered,
      },
      { name: 'skills/get', run: getSkill(shelf, paging), cacheable: true, work: true, offered },
      { name: 'resources/directory/read', run: readDirectory(shelf, paging), work: true, offered },
    ],
  }
}

const getSkill =
  (shelf: ComposedShelf<Entry>, { cache }: Pick<Paging, 'cache'>): Handle =>
  call => {
    const uri = uriOf(call)
    return after(shelf.find(uri, call.caller), entry => {
      if (!entry) throw fault('invalid-params', `No skill is served at ${cut(uri, 200)}`, { uri: cut(uri, 200) })
      const { ttlMs, scope } = entry.cache ?? { ttlMs: cache.ttlMs, scope: cache.cacheScope }
      return { skill: entry.info, ttlMs, cacheScope: shelf.shared ? scope : 'private' }
    })
  }

/** A directory is known from the files that skills say they have; those of a dynamic skill its own server knows. */
function readDirectory(shelf: ComposedShelf<Entry>, paging: Omit<Paging, 'member'>): Handle {
  const pages = listPages(shelf, { member: 'resources', ...paging }, (skills, call) => {
    const uri = uriOf(call)
    const entries = directoryAt(skills, uri)
    if (!entries) throw fault('invalid-params', `${cut(uri, 200)} is not a directory`, { uri: cut(uri, 200) })
    return entries
  })
  const known: Handle = call => after(pages(call), ({ ttlMs: _ttl, cacheScope: _scope, ...result }) => result)
  return call =>
    after(shelf.list(call.caller), skills => {
      const dynamic = dynamicAt(skills, uriOf(call))
      return dynamic ? dynamic.run(call) : known(call)
    })
}
