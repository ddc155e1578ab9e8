import type { UpstreamConfig } from '../config/upstream-config.ts'
import { AUTHORIZATION_ADVICE, causeOf, loginProblem, needsAuthorization } from './causes.ts'

/** Why a server cannot be used, for its operator; `wrote` is what it said outside of the protocol. */
export function describeFailure(error: Error, { target }: UpstreamConfig, wrote: string | undefined): Error {
  const problem = loginProblem(error)
  if (problem !== undefined) return new Error(problem)
  if (needsAuthorization(error) && target.kind !== 'stdio') return new Error(AUTHORIZATION_ADVICE)
  return new Error(wrote === undefined ? causeOf(error) : `${causeOf(error)}. It wrote: ${wrote}`)
}
