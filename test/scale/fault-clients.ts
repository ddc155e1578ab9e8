import { setTimeout as pause } from 'node:timers/promises'
import { Stateful, Stateless, answerIn, ask, call } from '../../packages/engine/test/support/http-client.ts'
import type { Answer } from '../../packages/engine/test/support/http-exchange.ts'
import type { ReceivedMessage } from '../../packages/engine/test/support/peer.ts'
import type { Random } from '../fuzz/random.ts'
import type { HttpMode } from '../interop/http-clients.ts'
import type { FaultHistory } from './fault-history.ts'
import { RECOVERED_MS } from './faults.ts'
import type { Violations, Weather } from './faults.ts'
import { StreamReader } from './stream-reader.ts'

/** What a client needs to work while things break. */
export interface Climate {
  readonly url: string
  readonly history: FaultHistory
  readonly weather: Weather
  readonly violations: Violations
  readonly signal: AbortSignal
}

/** What clients did. */
export interface Tally {
  calls: number
  streams: number
  resumed: number
  questions: number
  updates: number
  sessions: number
  failures: number
}

/** No tally yet. */
export const newTally = (): Tally => ({
  calls: 0,
  streams: 0,
  resumed: 0,
  questions: 0,
  updates: 0,
  sessions: 0,
  failures: 0,
})

const ENDED = /has ended|shutting down/

/** A client of sessions that checks every promise, in every step it takes. */
export class CheckingClient {
  readonly #climate: Climate
  readonly #random: Random
  readonly #tally: Tally
  #session: Stateful | undefined
  #id = 0

  constructor(climate: Climate, random: Random, tally: Tally) {
    this.#climate = climate
    this.#random = random
    this.#tally = tally
  }

  async run(): Promise<void> {
    while (!this.#climate.signal.aborted) {
      try {
        await this.#step()
      } catch (error) {
        this.#violated(`a client failed: ${error instanceof Error ? error.stack : String(error)}`)
      }
      await pause(this.#random.below(20))
    }
  }

  async #step(): Promise<void> {
    this.#session ??= await this.#open()
    const session = this.#session
    const roll = this.#random.next()
    if (roll < 0.5) await this.#add(session)
    else if (roll < 0.7) await this.#stream(session)
    else if (roll < 0.85) await this.#ask(session)
    else if (roll < 0.97) await this.#update(session)
    else await this.#end(session)
  }

  async #open(): Promise<Stateful> {
    this.#tally.sessions += 1
    return this.#persist('initialize', async () => {
      const session = await Stateful.open(this.#climate.url, { capabilities: { elicitation: {} } })
      const answer = await session.post(ask(++this.#id, 'resources/subscribe', { uri: 'note://one' }))
      if (answer.status !== 200) throw new Error(`subscribe: ${answer.status}`)
      return session
    })
  }

  async #add(session: Stateful): Promise<void> {
    const id = ++this.#id
    const a = this.#random.below(1000)
    const answer = await this.#persist('a call', () => this.#post(session, call(id, 'add', { a, b: 1 })))
    this.#tally.calls += 1
    const heard = answerIn(answer, id)
    if (!JSON.stringify(heard.result).includes(`"${a + 1}"`)) this.#violated(`a wrong answer: ${answer.text}`)
    const stateless = await this.#persist('a stateless call', async () => {
      const found = await new Stateless(this.#climate.url).post(call(id, 'add', { a, b: 1 }))
      if (found.status !== 200) throw new Error(`${found.status} ${found.text}`)
      return found.text
    })
    if (!stateless.includes(`"${a + 1}"`)) this.#violated(`a wrong answer: ${stateless}`)
  }

  /** A call whose events come by a stream that is cut now and then, by us or by a fault. */
  async #stream(session: Stateful): Promise<void> {
    const id = `s${++this.#id}`
    const to = 5 + this.#random.below(60)
    const began = performance.now()
    const body = call(id, 'count', { to, everyMs: 10 }, { progressToken: id })
    const { history, weather } = this.#climate
    const reader = new StreamReader(session, this.#random, history)
    const { messages, ids } = await reader.read(body, id, weather.patience())
    this.#tally.streams += 1
    this.#tally.resumed += reader.resumed
    if (reader.refused) {
      if (!reader.isLostWithProcess) this.#violated(`a stream was refused with ${reader.refused}: ${reader.story}`)
      return
    }
    const last = messages.at(-1)
    if (ids.length === 0 || !last) return this.#failed(began, `no event of a stream came: ${reader.story}`)
    const numbers = ids.map(event => Number(event.split('_')[1]))
    if (numbers.some((n, i) => n !== i + 1))
      this.#violated(`events lost, doubled or out of order: ${numbers.join(' ')}`)
    const answers = messages.filter(m => m.method === undefined && m.id === id)
    if (answers.length !== 1)
      return this.#violated(`${answers.length} answers on a stream of ${numbers.length} events: ${reader.story}`)
    if (last.error) {
      if (!ENDED.test(last.error.message)) this.#violated(`a call failed: ${JSON.stringify(last.error)}`)
      return this.#failed(began, 'a call was lost with its process')
    }
    const steps = messages.filter(m => m.method === 'notifications/progress').length
    if (steps !== to) this.#violated(`${steps} of ${to} steps were heard`)
  }

  async #ask(session: Stateful): Promise<void> {
    const id = `q${++this.#id}`
    const began = performance.now()
    const stream = await session.stream(call(id, 'ask')).catch(() => undefined)
    if (!stream || stream.status !== 200) return this.#failed(began, `a question was not put: ${stream?.status}`)
    try {
      const question = await stream.until(({ method }) => method === 'elicitation/create')
      const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: id } } }
      await this.#persist('an answer', async () => {
        const { status } = await session.post(answer)
        if (status !== 202) throw new Error(`${status}`)
      })
      const answered = await Promise.race([stream.ended, pause(6000, 'late' as const)])
      const said = stream.messages.find(m => m.id === id && m.method === undefined)
      this.#tally.questions += 1
      if (!said) return this.#failed(began, `a question stayed open: ${String(answered)}`)
      if (!JSON.stringify(said).includes(`Hello ${id}`)) this.#failed(began, `a wrong end: ${JSON.stringify(said)}`)
    } catch (error) {
      this.#failed(began, `a question failed: ${String(error)}`)
    } finally {
      stream.hangUp()
    }
  }

  /** What is changed by a call is heard on a stream, if that is there and nothing breaks. */
  async #update(session: Stateful): Promise<void> {
    const began = performance.now()
    const stream = await session.listen().catch(() => undefined)
    if (!stream || stream.status !== 200) return this.#failed(began, `no stream: ${stream?.status}`)
    try {
      const isUpdated = ({ method }: ReceivedMessage): boolean => method === 'notifications/resources/updated'
      const before = stream.messages.filter(isUpdated).length
      await this.#persist('touch', () => this.#post(session, call(++this.#id, 'touch')))
      const heard = stream.reads(() => stream.messages.filter(isUpdated).length > before)
      const outcome = await Promise.race([heard.then(() => 'heard'), pause(5000, 'late')])
      this.#tally.updates += 1
      if (outcome === 'late') this.#failed(began, 'an update was not heard')
    } catch (error) {
      this.#failed(began, `an update was not heard: ${String(error)}`)
    } finally {
      stream.hangUp()
    }
  }

  async #end(session: Stateful): Promise<void> {
    this.#session = undefined
    await this.#persist('DELETE', async () => {
      const { status } = await session.end()
      if (status !== 200 && status !== 404) throw new Error(`DELETE: ${status}`)
    })
    // It stays dead, now and later.
    for (const wait of [0, 200, 4000]) {
      await pause(wait)
      const answer = await this.#persist('a look', async () => {
        const found = await session.post(ask(++this.#id, 'ping'))
        if (found.status !== 200 && found.status !== 404) throw new Error(`${found.status}`)
        return found
      })
      // Where a process is cut off it serves what it knows, until it hears of the end.
      if (answer.status === 200 && !this.#climate.weather.isRoughSince(performance.now() - 3000))
        this.#violated('a deleted session was served')
    }
  }

  async #post(session: Stateful, body: object): Promise<Answer> {
    const answer = await session.post(body)
    if (answer.status === 404) this.#violated(`a session was lost: ${answer.text}`)
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    return answer
  }

  /** Again and again while things are broken; where they are not, the first failure is one too many. */
  async #persist<T>(what: string, work: () => Promise<T>): Promise<T> {
    const isPatient = this.#climate.weather.patience()
    for (;;) {
      const began = performance.now()
      try {
        return await work()
      } catch (error) {
        this.#failed(began, `${what}: ${String(error)}`)
        if (!isPatient()) throw error
        await pause(100)
      }
    }
  }

  #failed(began: number, what: string): void {
    this.#tally.failures += 1
    // What comes back has three seconds for it; sessions that are not known are refused for as long.
    if (!this.#climate.weather.isRoughSince(began - RECOVERED_MS)) this.#violated(`in calm weather: ${what}`)
  }

  #violated(what: string): void {
    this.#climate.violations.add(`${what} [${this.#climate.weather.current}]`)
  }
}

/** An official client that calls, and is let down only while things are broken. */
export async function officialClient(mode: HttpMode, climate: Climate, tally: Tally): Promise<void> {
  const { weather, violations, signal, url } = climate
  const talk = await mode.connect(url, { name: 'Ada' })
  for (let i = 0; !signal.aborted; i++) {
    const began = performance.now()
    try {
      const answer = await talk.call('add', { a: i, b: 1 })
      tally.calls += 1
      if (!JSON.stringify(answer).includes(`"${i + 1}"`)) violations.add(`${mode.name}: a wrong answer`)
    } catch (error) {
      tally.failures += 1
      const problem = String(error)
      if (/not found|404/i.test(problem)) violations.add(`${mode.name}: a session was lost: ${problem}`)
      else if (!weather.isRoughSince(began)) violations.add(`${mode.name} in calm weather: ${problem}`)
    }
    await pause(20)
  }
  await talk.close().catch(() => {})
}
