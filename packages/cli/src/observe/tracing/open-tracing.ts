import { hostname } from 'node:os'
import type { Log } from '@causeway/engine'
import { openTelemetry, tracing } from '@causeway/engine/policies'
import type { CallObserver } from '@causeway/engine/policies'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { VERSION } from '../../version.ts'

/** Calls that are traced. */
export interface Tracing {
  readonly observer: CallObserver
  close(): Promise<void>
}

// Where the module @opentelemetry/api keeps what an SDK registered, in every version of it.
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** Trace calls to the collector of `--otlp`, or with the SDK that this process was started with; undefined without either. */
export async function openTracing(
  { otlp, worker }: Pick<Config, 'otlp' | 'worker'>,
  log: Log,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Tracing | undefined> {
  if (otlp === undefined) return hasSdk() ? withSdk(log) : undefined
  if (!isUsable(otlp))
    throw new UsageError('--otlp must be a URL without a user and a password, such as http://127.0.0.1:4318.')
  const { otlpTracer } = await import('./otlp-tracer.ts')
  const tracer = otlpTracer({
    url: otlp,
    headers: headersIn(env.OTEL_EXPORTER_OTLP_HEADERS),
    resource: {
      'service.name': env.OTEL_SERVICE_NAME || 'causeway',
      'service.version': VERSION,
      'service.instance.id': worker === undefined ? `${hostname()}-${process.pid}` : `${hostname()}-${worker}`,
      'host.name': hostname(),
    },
    log,
  })
  return { observer: tracing(tracer), close: () => tracer.close() }
}

function isUsable(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}` === ''
}

function hasSdk(): boolean {
  const registered = (globalThis as Record<symbol, unknown>)[REGISTERED]
  return typeof registered === 'object' && registered !== null && 'trace' in registered
}

async function withSdk(log: Log): Promise<Tracing | undefined> {
  try {
    return { observer: tracing(openTelemetry(await import('@opentelemetry/api'))), close: async () => {} }
  } catch (error) {
    log('warn', 'an OpenTelemetry SDK is loaded, but not the package @opentelemetry/api: calls are not traced', {
      error,
    })
    return undefined
  }
}

/** `key=value,key=value`, each part percent-encoded. */
function headersIn(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap(part => {
    const [name = '', ...value] = part.split('=')
    return name.trim() === '' ? [] : [[name.trim(), decoded(value.join('=').trim())] as const]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
