import type { Server } from '@causeway/engine'
import { Gateway } from '@causeway/gateway'
import type { UpstreamConfig } from '@causeway/gateway'
import type { Config } from '../config/config.ts'
import { gatewayFolder } from '../config/files/servers-file.ts'
import { LOCAL_PRINCIPAL, withCredentials } from './open-credentials.ts'

/** Run something with a gateway that lives as long as one command, and uses the logins of `causeway login`. */
export const withGateway = <T>(server: Server, config: Config, use: (gateway: Gateway) => Promise<T>): Promise<T> =>
  withCredentials(config, async credentials => {
    const gateway = new Gateway(server, { folder: gatewayFolder(config.data), credentials })
    gateway.logins.open({ url: () => undefined, isLocal: true })
    try {
      return await use(gateway)
    } finally {
      await gateway.close()
    }
  })

/** Have these servers behind the gateway, each with the login that is kept for it. */
export async function applyWithLogins(gateway: Gateway, upstreams: readonly UpstreamConfig[]): Promise<void> {
  await gateway.apply(upstreams)
  for (const { login } of gateway.servers.values()) {
    // A login that cannot be read is shown as a problem of its server.
    const mark = login?.isPersonal ? await login.mark(LOCAL_PRINCIPAL).catch(() => undefined) : undefined
    if (mark !== undefined) login?.loggedIn(LOCAL_PRINCIPAL)
  }
}
