import type { Caller, Revision } from '../call.ts'
import { APPS_CAPABILITY } from '../protocol/apps.ts'
import { revisions } from '../protocol/revisions.ts'

// The newest revision can say everything; no question is asked.
const [NEWEST] = revisions as [Revision, ...Revision[]]

/** This program itself, which sees what a client without extensions sees. */
export const LOCAL_CALLER: Caller = { revision: NEWEST, client: undefined, capabilities: {} }

/** This program itself, where it looks for changes of whatever clients see. */
export const SEES_ALL: Caller = { ...LOCAL_CALLER, capabilities: { extensions: APPS_CAPABILITY } }
