import type { Dialect } from '@causeway/engine'

/** Everything that goes wrong is a protocol error. */
export const workstation: Dialect = {
  errors: {
    'unknown-tool': -32601,
    'invalid-arguments': -32602,
    'tool-failed': -32603,
    timeout: { code: -32000, message: 'Tool execution timeout' },
    'result-too-large': -32603,
  },
  suggest: 'data',
}

/** The codes of workstation, a timeout in its own words. */
export const basics: Dialect = { errors: { ...workstation.errors, timeout: -32000 }, suggest: 'data' }

const failed = { code: -32002, message: 'Tool execution error: {words}' }

/** Tools have codes of their own. */
export const cassini: Dialect = {
  errors: {
    'unknown-tool': { code: -32001, message: 'Tool not found: {subject}' },
    'invalid-arguments': { code: -32602, message: 'Invalid params: {words}' },
    'tool-failed': failed,
    timeout: failed,
    'result-too-large': failed,
  },
  suggest: 'data',
}

const invalid = { code: -32602, message: 'Invalid params: {words}' }
const internal = { code: -32603, message: 'Internal error: {words}' }

/** Templates have codes of their own. */
export const toolkit: Dialect = {
  errors: {
    'unknown-tool': invalid,
    'invalid-arguments': invalid,
    'invalid-template-parameters': -32002,
    'tool-failed': internal,
    timeout: internal,
    'result-too-large': internal,
    'resource-not-found': -32000,
    'template-not-found': -32000,
    'malformed-template-uri': -32001,
  },
  suggest: 'data',
}

/** Results a model reads, the first failure only, in words of its own. */
export const threats: Dialect = {
  errors: { 'invalid-arguments': 'result', 'tool-failed': 'result', timeout: 'result', 'result-too-large': 'result' },
  suggest: false,
  problems: 'first',
  wording: {
    required: '{name} parameter is required',
    minLength: '{name} must be non-empty',
    enum: "Invalid {name} '{value}'. Supported {name}s: {allowed}",
    'enum verbosity': "Invalid {name} '{value}'. Supported values: {allowed}",
    unknown: "Unknown parameter '{name}'. Supported parameters: {allowed}",
  },
}
