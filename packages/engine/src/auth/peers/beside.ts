import type { Authenticator } from '../authenticator.ts'

/** The same authenticator, which tells who sends a request in another way. What it says of itself may change, and is asked for each time. */
export function beside(others: Authenticator | undefined, authenticate: Authenticator['authenticate']): Authenticator {
  return Object.create(others ?? null, { authenticate: { value: authenticate } }) as Authenticator
}
