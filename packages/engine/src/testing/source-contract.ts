import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Caller } from '../call.ts'
import type { Entry, Shelf } from '../catalog/shelf.ts'
import type { Source } from '../catalog/source.ts'
import { revisions } from '../protocol/revisions.ts'
import { eventually } from './contract.ts'
import type { ContractCase } from './contract.ts'

/** How the cases get at a source. */
export interface SourceUnderTest {
  /** A source with at least one entry on each shelf that it has. */
  open(): Source | Promise<Source>
  /** Make the list of tools change, where the source can. */
  change?(source: Source): void | Promise<void>
}

const [NEWEST] = revisions
const CALLER: Caller | undefined = NEWEST && { revision: NEWEST, client: undefined, capabilities: {} }

async function shelvesOf({ open }: SourceUnderTest): Promise<readonly (readonly [string, Shelf<Entry>])[]> {
  const { tools, prompts, resources, templates } = await open()
  const all = Object.entries({ tools, prompts, resources, templates })
  return all.flatMap(([kind, shelf]) => (shelf ? [[kind, shelf] as const] : []))
}

const caller = (): Caller => {
  if (CALLER) return CALLER
  throw new Error('There is no revision')
}

/** What every source does, wherever its features come from. */
export const sourceContract: readonly ContractCase<SourceUnderTest>[] = [
  {
    name: 'lists entries under keys that differ, and finds each by its key and its aliases',
    run: async under => {
      for (const [kind, shelf] of await shelvesOf(under)) {
        const entries = await shelf.list(caller())
        ok(entries.length > 0, `There are no ${kind}`)
        const keys = entries.flatMap(({ key, aliases = [] }) => [key, ...aliases])
        equal(new Set(keys).size, keys.length, `Two ${kind} have one name`)
        for (const { key, aliases = [] } of entries) {
          for (const name of [key, ...aliases]) equal((await shelf.find(name, caller()))?.key, key)
        }
      }
    },
  },
  {
    name: 'describes what it lists, in plain JSON',
    run: async under => {
      for (const [kind, shelf] of await shelvesOf(under)) {
        for (const { key, info } of await shelf.list(caller())) {
          deepEqual(JSON.parse(JSON.stringify(info)), info, `${kind} ${key} is not plain JSON`)
          const shown = { tools: info.name, prompts: info.name, resources: info.uri, templates: info.uriTemplate }
          equal(shown[kind as keyof typeof shown], key)
        }
      }
    },
  },
  {
    name: 'finds nothing under a name it does not list',
    run: async under => {
      for (const [, shelf] of await shelvesOf(under)) {
        for (const name of ['no-such-name', '', '__proto__', 'toString']) {
          equal(await shelf.find(name, caller()), undefined)
        }
      }
    },
  },
  {
    name: 'gives the same array while nothing changed, so that pages made of it can be kept',
    run: async under => {
      for (const [kind, shelf] of await shelvesOf(under)) {
        if (shelf.shared !== true) continue
        equal(await shelf.list(caller()), await shelf.list(caller()), `${kind} are listed again each time`)
      }
    },
  },
  {
    name: 'reports changes until the listener is removed',
    run: async ({ open, change }) => {
      const source = await open()
      const listen = source.tools?.listen?.bind(source.tools)
      if (!change || !listen) return
      let heard = 0
      const stop = listen(() => void heard++)
      await change(source)
      await eventually(() => heard > 0)
      stop()
      const before = heard
      await change(source)
      equal(heard, before)
    },
  },
]
