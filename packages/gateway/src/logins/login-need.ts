import { fault } from '@causeway/engine'
import { HttpError, LoginRequired } from '@causeway/engine/client'

const needs = new WeakMap<Error, string>()

/** The refusal of a call whose server wants a login first. */
export function loginNeeded(server: string): Error {
  const error = fault('upstream-unavailable', `The server '${server}' needs a login`, { server })
  needs.set(error, server)
  return error
}

/** The server that a call needs a login for, if that is why it failed. */
export const serverToLogInTo = (error: unknown): string | undefined =>
  error instanceof Error ? needs.get(error) : undefined

/** Did a request fail because a person has to log in? */
export const asksForLogin = (error: unknown): boolean =>
  error instanceof HttpError && error.cause instanceof LoginRequired
