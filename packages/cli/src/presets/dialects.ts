import type { Dialect, Spelling } from '@causeway/engine'

/** A code, and a title before our own words. */
const titled = (code: number, title: string): Spelling => ({ code, message: `${title}: {words}` })

const invalid = titled(-32602, 'Invalid params')
const internal = titled(-32603, 'Internal error')
const noTool: Spelling = { code: -32601, message: "Method not found: there is no tool '{subject}'" }

/** Everything that goes wrong is a protocol error. */
export const workstation: Dialect = {
  errors: {
    'unknown-tool': noTool,
    'invalid-params': invalid,
    'unknown-prompt': invalid,
    'invalid-arguments': invalid,
    'tool-failed': internal,
    timeout: { code: -32000, message: 'Tool execution timeout' },
    'result-too-large': internal,
  },
  suggest: 'data',
}

/** The codes of workstation, a timeout in its own words. */
export const basics: Dialect = { errors: { ...workstation.errors, timeout: -32000 }, suggest: 'data' }

const failed = titled(-32002, 'Tool execution error')

/** Tools have codes of their own. */
export const cassini: Dialect = {
  errors: {
    'unknown-tool': { code: -32001, message: 'Tool not found: {subject}' },
    'invalid-request': titled(-32600, 'Invalid Request'),
    'invalid-params': invalid,
    'unknown-prompt': invalid,
    'invalid-arguments': invalid,
    'tool-failed': failed,
    timeout: failed,
    'result-too-large': failed,
  },
  suggest: 'data',
  refusals: 'Server error',
  details: true,
}

/** Templates have codes of their own. */
export const toolkit: Dialect = {
  errors: {
    'unknown-tool': invalid,
    'invalid-request': titled(-32600, 'Invalid request'),
    'invalid-params': invalid,
    'unknown-prompt': invalid,
    'invalid-arguments': invalid,
    'invalid-template-parameters': titled(-32002, 'Parameter validation failed'),
    'tool-failed': internal,
    timeout: internal,
    'result-too-large': internal,
    'resource-not-found': { code: -32000, message: 'Template not found: {subject}' },
    'template-not-found': titled(-32000, 'Template not found'),
    'malformed-template-uri': titled(-32001, 'Invalid template URI'),
  },
  suggest: 'data',
}

/** Results a model reads, the first failure only, in words of its own. */
export const threats: Dialect = {
  errors: { 'invalid-arguments': 'result', 'tool-failed': 'result', timeout: 'result', 'result-too-large': 'result' },
  suggest: false,
  problems: 'first',
  messages: {
    required: '{name} parameter is required',
    minLength: '{name} must be non-empty',
    enum: "Invalid {name} '{value}'. Supported {name}s: {allowed}",
    'enum verbosity': "Invalid {name} '{value}'. Supported values: {allowed}",
    unknown: "Unknown parameter '{name}'. Supported parameters: {allowed}",
  },
}
