import { oauthAuthorizer } from '@causeway/engine/client'

const redirectUri = 'http://localhost:3000/callback'

/** A person who agrees to everything: the authorization server of the suite answers with the redirect at once. */
async function agree(url) {
  const response = await fetch(url, { redirect: 'manual' })
  return response.headers.get('location') ?? ''
}

/** How the client logs in, by what the scenario gives it. */
function grantFor({ client_id, client_secret, private_key_pem, valid_jwt, idp_id_token, ...context }) {
  if (idp_id_token !== undefined) {
    const { idp_issuer: issuer, idp_token_endpoint: tokenEndpoint, idp_client_id: clientId } = context
    return { type: 'enterprise', provider: { issuer, tokenEndpoint, clientId }, idToken: () => idp_id_token }
  }
  if (valid_jwt !== undefined) return { type: 'jwt_bearer', assertion: () => valid_jwt }
  const isMachine = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/client-credentials')
  if (isMachine && client_id !== undefined && (client_secret ?? private_key_pem) !== undefined)
    return { type: 'client_credentials' }
  return { type: 'authorization_code', redirectUri, open: agree }
}

/** The authorizer of a scenario. */
export function authorizerFor(url, context) {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: key, signing_algorithm: alg } = context
  return oauthAuthorizer({
    url,
    grant: grantFor(context),
    clientName: 'causeway-client',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(clientId && { clientId }),
    ...(clientSecret && { clientSecret }),
    ...(key && { privateKey: { key, alg } }),
  })
}
