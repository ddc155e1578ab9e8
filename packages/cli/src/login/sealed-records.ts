/** A place that keeps sealed texts under names of letters, digits and dashes. It cannot read them. */
export interface SealedRecords {
  /** What people call the place of a record. */
  shown(name: string): string
  /** Do all processes of several machines use this place? */
  readonly isShared: boolean
  read(name: string): Promise<string | undefined>
  write(name: string, text: string): Promise<void>
  delete(name: string): Promise<void>
  /** The names that begin with a group; all names for an empty one, where that is known. */
  names(group: string): Promise<readonly string[]>
  /** Run a task while no other process runs one for that name. */
  locked<T>(name: string, task: () => Promise<T>): Promise<T>
}

/** A record that is larger was not written by us. */
export const LARGEST_RECORD: number = 256 * 1024
/** A lock that is older was left behind. Tasks take at most about 30 s. */
export const LOCK_MS = 60_000
/** How long a task waits for the lock. */
export const WAIT_MS = 90_000

/** A lock was not to be had. */
export const lockTimeout = (place: string): Error =>
  new Error(`${place} is in use by another process. Try again in a minute.`)

/** Runs the tasks of one name one after the other, in this process. */
export function turns(): <T>(name: string, task: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (name, task) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(task, task)
    last.set(name, turn)
    try {
      return await turn
    } finally {
      if (last.get(name) === turn) last.delete(name)
    }
  }
}

/** Waits of growing length with some chance in them, so that those who wait do not ask at the same moment. */
export const pauseMs = (attempt: number): number => Math.min(100, 5 * 2 ** attempt) * (0.5 + Math.random())
