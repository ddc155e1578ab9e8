import { afterAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { Asking } from '../interop/asking.ts'
import { modes } from '../interop/clients.ts'
import { httpModes } from '../interop/http-clients.ts'
import { documentTransports } from './transports.ts'
import type { DocumentTransport, DocumentConversation } from './transports.ts'
import { pending } from './pending.ts'
import { exceptionFor } from './row.ts'
import type { Document, Place, Row, Stage } from './row.ts'
import type { Proof, Statement } from './statement.ts'
import { World } from './world.ts'

/** An official client in one of its modes, over one of its transports. */
interface Official {
  readonly name: string
  readonly version: string
  readonly place: Place
  connect(world: World): Promise<Asking & { close(): Promise<void> }>
}

const placeOf = (version: string): Place =>
  version === '2026-07-28' ? 'clients without a session' : 'clients with a session'

// Each over stdio is a process per conversation, so one for each place; the others are in test/interop/stdio.test.ts.
const overStdio = modes.filter(({ version }, i) => modes.findIndex(other => other.version === version) === i)

const officials: readonly Official[] = [
  ...overStdio.map(({ name, version, connect }) => ({
    name: `${name}, over stdio`,
    version,
    place: placeOf(version),
    connect: (world: World) => connect([...world.command, '--stdio']),
  })),
  ...httpModes.map(({ name, version, connect }) => ({
    name,
    version,
    place: placeOf(version),
    connect: async (world: World) => connect(await world.url()),
  })),
]

/** Play every row and check every statement of a document, against the command itself. */
export function playDocument(document: Document): void {
  const { stages, usual, command, places } = document
  const waiting = pendingRows(document)
  const rows = document.rows.filter(row => !waiting.has(row.title))
  // The official WebSocket transport is written for what browsers and later versions of Node have.
  vi.stubGlobal('WebSocket', WebSocket)
  const worlds = [new World(command(false)), new World(command(true))] as const
  const worldOf = ({ broken = false }: Row): World => worlds[broken ? 1 : 0]
  afterAll(() => Promise.all(worlds.map(world => world.end())))

  const played = documentTransports.filter(({ name }) => places?.includes(name) ?? true)
  const begin = async (
    { name, open }: DocumentTransport,
    world: World,
    stage: Stage,
  ): Promise<DocumentConversation> => {
    const talk = await open(world)
    for (const message of name === '/mcp stateless' ? [] : stages[stage]) await talk.say(message, !('id' in message))
    return talk
  }

  describe.each(played)('$name', door => {
    const { name } = door
    const kept = keeping(row => begin(door, worldOf(row), row.at ?? usual))

    test.each(sayable(rows, name))('$title', async row => {
      const { say, log, at = usual } = row
      const answer = exceptionFor(row, name)?.answer ?? row.answer
      const talk = await kept.get(row, at === 'new' || row.last === true ? undefined : at)
      const logged = (): number => (log === undefined ? 0 : worldOf(row).written(log))
      const before = logged()
      const heard = await talk.say(say, answer === 'silence')
      expect(plain(heard)).toEqual(answer === 'silence' ? undefined : answer)
      await expect.poll(logged, { interval: 5 }).toBe(log === undefined ? 0 : before + 1)
    })
  })

  describe.each(places ? [] : officials)('$name', ({ name, place, version, connect }) => {
    const kept = keeping(row => connect(worldOf(row)))

    test.each(sayable(rows, name, place))('$title', async row => {
      const client = await kept.get(row, row.last === true ? undefined : 'ready')
      const { method, params } = row.say as { method: string; params?: Record<string, unknown> }
      const { result, error } = (exceptionFor(row, name, place)?.answer ?? row.answer) as {
        result?: object
        error?: object
      }
      const isGreeting = method === 'initialize' && row.at === 'new'
      const outcome = isGreeting ? { result: client.about } : await outcomeOf(client.ask(method, params))
      const wanted = isGreeting ? { ...result, protocolVersion: version } : result
      expect(outcome).toEqual(error ? { error } : { result: wanted })
    })
  })

  /** Says a row through every door that it can be said through, each time anew. */
  const sayEverywhere = async (row: Row): Promise<void> => {
    for (const door of played.filter(({ name }) => sayable([row], name).length > 0)) {
      const talk = await begin(door, worldOf(row), row.at ?? usual)
      const answer = exceptionFor(row, door.name)?.answer ?? row.answer
      const heard = await talk.say(row.say, answer === 'silence')
      await talk.close()
      expect(plain(heard)).toEqual(answer === 'silence' ? undefined : answer)
    }
  }
  const { settled, open: unsettled } = numbered(document)
  const prove = async (proof: Proof): Promise<void> => {
    expect(['check', 'rows']).toContain(proof.kind)
    if (proof.kind === 'check') await proof.run(worlds[0])
    if (proof.kind !== 'rows') return
    for (const row of document.rows) if (proof.titles.includes(row.title)) await sayEverywhere(row)
  }
  test.each(settled)('$title', ({ proof }) => expect(prove(proof)).resolves.toBeUndefined())
  // Fails as soon as it passes: then it is pending no more.
  test.each(unsettled)('$title', { fails: true }, ({ proof }) => expect(prove(proof)).resolves.toBeUndefined())
}

interface Numbered extends Statement {
  readonly title: string
}

/** The statements that are checked by themselves, and those that do not hold yet. */
function numbered({ name, statements }: Document): { settled: readonly Numbered[]; open: readonly Numbered[] } {
  const all = statements.map(({ says, proof }, i) => ({ says, proof, title: `${i + 1}. ${says}`, number: i + 1 }))
  const isOpen = ({ number }: { number: number }): boolean => pending[name]?.[number] !== undefined
  return {
    settled: all.filter(statement => !isOpen(statement) && statement.proof.kind === 'check'),
    open: all.filter(isOpen),
  }
}

/** The rows of statements that do not hold yet. */
function pendingRows({ name, statements }: Document): ReadonlySet<string> {
  const numbers = Object.keys(pending[name] ?? {}).map(Number)
  const proofs = numbers.map(number => statements[number - 1]?.proof)
  return new Set(proofs.flatMap(proof => (proof?.kind === 'rows' ? proof.titles : [])))
}

/** The rows that can be said there; a row tells why it cannot. */
const sayable = (rows: readonly Row[], ...names: readonly string[]): readonly Row[] =>
  rows.filter(row => exceptionFor(row, ...names) === undefined || exceptionFor(row, ...names)?.answer !== undefined)

interface Closing {
  close(): unknown
}

/** Conversations at the same stage are shared, one at none is the row's own; all are closed in the end. */
function keeping<T extends Closing>(
  begin: (row: Row) => Promise<T>,
): { get(row: Row, stage: Stage | undefined): Promise<T> } {
  const shared = new Map<string, Promise<T>>()
  const all: Promise<T>[] = []
  afterAll(() => Promise.all(all.map(async opened => (await opened).close())))
  const fresh = (row: Row): Promise<T> => {
    const opened = begin(row)
    all.push(opened)
    return opened
  }
  return {
    get(row, stage) {
      if (stage === undefined) return fresh(row)
      const key = `${stage} ${row.broken}`
      const opened = shared.get(key) ?? fresh(row)
      shared.set(key, opened)
      return opened
    },
  }
}

/** What the stateless era writes on every result says nothing of the document. */
function plain(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) return answer
  const { resultType: _type, _meta, ttlMs: _ttl, cacheScope: _scope, ...result } = answer.result as object as Stamped
  return { ...answer, result }
}

interface Stamped {
  readonly resultType?: unknown
  readonly _meta?: unknown
  readonly ttlMs?: unknown
  readonly cacheScope?: unknown
}

async function outcomeOf(asked: Promise<object>): Promise<unknown> {
  try {
    return plain({ result: await asked })
  } catch (error) {
    return { error: errorIn(error as RpcFailure) }
  }
}

interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The error an official client gives; a refusal with a status of its own reaches it as the text of the body. */
function errorIn({ code, message, data }: RpcFailure): RpcFailure {
  const body = /\{"jsonrpc":.*\}/.exec(message)?.[0]
  if (body !== undefined) return (JSON.parse(body) as { error: RpcFailure }).error
  return { code, message: message.replace(/^MCP error -?\d+: /, ''), ...(data !== undefined && { data }) }
}
