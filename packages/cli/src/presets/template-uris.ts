import { RpcError, fault } from '@causeway/engine'
import { resultStep } from '@causeway/engine/policies'
import type { Policy } from '@causeway/engine'

const URI = /^template:\/\/[^/]+\/[^/]+\/[^/]+$/

/** Resources are templates here: a URI of another form is malformed, not merely unknown. */
export const templateUris: Policy = resultStep({
  onError(error, { method, params: { uri } }) {
    const isUnknown = error instanceof RpcError && error.kind === 'resource-not-found' && method === 'resources/read'
    if (!isUnknown || typeof uri !== 'string' || URI.test(uri)) throw error
    const words = `Invalid template URI: ${uri.slice(0, 200)}. It must have the form template://CATEGORY/TOOLCHAIN/VARIANT`
    throw fault('malformed-template-uri', words)
  },
})
