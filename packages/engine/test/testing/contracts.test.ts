import { prompt, resource, template, tool } from '@causeway/engine'
import { memoryStore } from '@causeway/engine/stores'
import { memoryTransport } from '@causeway/engine/client'
import type { ClientTransport } from '@causeway/engine/client'
import type { Entry, Server, Shelf, Source, ToolEntry } from '@causeway/engine'
import { clientTransportContract, sourceContract, storeContract, transportContract } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../../src/catalog/catalog.ts'
import { SERVER_TRANSPORTS } from '../client/server-transports.ts'
import { connections } from '../support/carriers.ts'
import { runContract } from '../support/contract.ts'

const VERSION = '2025-11-25'

describe.each(connections.filter(carrier => carrier.carries({ version: VERSION })))('$name', carrier => {
  runContract('is a transport', transportContract, {
    connect: (server, onText) =>
      carrier.open(server, { onText, lifecycle: 'lenient', direct: false, version: VERSION }),
  })
})

describe.each(Object.entries(SERVER_TRANSPORTS))('over %s', (_, reach) => {
  runContract('is a transport of a client', clientTransportContract, {
    connect: async server => {
      const { open, stop } = await reach(server)
      return { transport: open(), stop }
    },
  })
})

const features = [
  tool({ name: 'add', aliases: ['plus'] }, () => ''),
  prompt({ name: 'greet' }, () => 'hello'),
  resource({ uri: 'x://one', name: 'one' }, () => ''),
  template({ uriTemplate: 'x://many/{id}', name: 'many' }, () => ''),
]

/** A server's own features, as a source. */
function catalog(): Source {
  const made = new Catalog({ naming: 'standard', repair: true, declared: [], onFailure: () => {} })
  made.mount({ name: 'pack', features }, {})
  const { tools, prompts, resources } = made
  return { name: 'catalog', tools, prompts, resources }
}

runContract('a catalog is a source', sourceContract, { open: catalog })

/** Entries that can be exchanged. */
class LiveTools implements Shelf<ToolEntry> {
  readonly #listeners = new Set<() => void>()
  entries: readonly ToolEntry[] = [{ key: 'one', info: { name: 'one' }, run: () => ({}) }]
  list = (): readonly ToolEntry[] => this.entries
  find = (key: string): ToolEntry | undefined => this.entries.find(entry => entry.key === key)
  listen = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }
  change(): void {
    for (const changed of this.#listeners) changed()
  }
}

runContract('a live source is one', sourceContract, {
  open: () => ({ name: 'live', tools: new LiveTools() }),
  change: ({ tools }) => (tools as LiveTools).change(),
})

describe('the contracts find', () => {
  const failures = async <Under>(
    cases: readonly { name: string; run(under: Under): Promise<void> }[],
    under: Under,
  ) => {
    const outcomes = await Promise.allSettled(cases.map(one => one.run(under)))
    return outcomes.filter(({ status }) => status === 'rejected').length
  }

  test('a source that finds what it does not list, and one that lists what it does not find', async () => {
    const entry: Entry = { key: 'a', info: { name: 'a' }, run: () => ({}) }
    const shelf = (find: Shelf<Entry>['find']): Source => ({ name: 's', prompts: { list: () => [entry], find } })
    expect(await failures(sourceContract, { open: () => shelf(() => entry) })).toBe(1)
    expect(await failures(sourceContract, { open: () => shelf(() => undefined) })).toBe(1)
  })

  test('a store that forgets', async () => {
    const forgetful = (): ReturnType<typeof memoryStore> => Object.assign(memoryStore(), { get: () => undefined })
    const under = { open: forgetful, join: forgetful, pass: () => {} }
    expect(
      await failures(
        storeContract.filter(({ name }) => name.startsWith('values: names')),
        under,
      ),
    ).toBe(1)
  })

  test('a transport of a client that cancels nothing, and one that is not closed', async () => {
    const broken = (change: Partial<ClientTransport>) => ({
      connect: (server: Server) => ({ transport: Object.assign(memoryTransport(server), change), stop: () => {} }),
    })
    expect(await failures(clientTransportContract, broken({ cancel: () => {} }))).toBe(1)
    expect(await failures(clientTransportContract.slice(-1), broken({ close: async () => {} }))).toBe(1)
  })

  test('a transport that answers twice', async () => {
    const [memory] = connections
    const twice = {
      connect: (server: Server, onText: (text: string) => void) => {
        const options = { lifecycle: 'lenient', direct: false, version: VERSION } as const
        const both = (text: string): void => [text, text].forEach(onText)
        return (memory as NonNullable<typeof memory>).open(server, { ...options, onText: both })
      },
    }
    expect(await failures(transportContract, twice)).toBe(1)
  })
})
