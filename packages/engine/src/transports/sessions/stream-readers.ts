import type { Logs, Presence } from '../../stores/store.ts'
import type { HttpSession } from './session.ts'

const LISTENERS = 'listeners'
const KEPT_MS = 60_000

/** A client listens in one place: readers it left elsewhere are let go, by the order in which the store saw them come. */
export class Listeners {
  readonly #store: Logs & Presence

  constructor(store: Logs & Presence, find: (id: string) => HttpSession | undefined) {
    this.#store = store
    if (store.processId === '') return
    void store.follow(LISTENERS, ({ number, text: id }) => {
      const session = find(id)
      if (session && session.listenerNumber < number) session.standalone.finish()
    })
  }

  /** A reader comes; undefined if no other process has to know. A store that cannot be reached does not prevent listening. */
  announce(session: HttpSession): Promise<void> | undefined {
    if (this.#store.processId === '') return undefined
    const number = Promise.resolve(this.#store.announce(LISTENERS, session.id, KEPT_MS))
    return number.then(
      given => {
        session.listenerNumber = given
      },
      () => {},
    )
  }
}
