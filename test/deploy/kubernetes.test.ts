import { readFileSync, readdirSync } from 'node:fs'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ROOT } from '../support/spawned.ts'
import { unknownVariables } from './variables.ts'

const FOLDER = `${ROOT}deploy/kubernetes/`

/** The schemas of Kubernetes' own description of its API, compiled. */
const kinds: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  'apps/v1 Deployment': Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'v1 ConfigMap': ConfigMap,
  'v1 Secret': Secret,
  'v1 Service': Service,
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [field: string]: unknown
}

const manifests = readdirSync(FOLDER).flatMap(file =>
  parseAllDocuments(readFileSync(FOLDER + file, 'utf8')).map(document => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('; ')}`)
    return document.toJS() as Manifest
  }),
)
const labelled = manifests.map(manifest => [`${manifest.apiVersion} ${manifest.kind}`, manifest] as const)
const named = (kind: string): Manifest => {
  const found = manifests.find(manifest => manifest.kind === kind)
  if (!found) throw new Error(`No ${kind}`)
  return found
}

function validate(label: string, manifest: object): void {
  const Kind = kinds[label]
  if (!Kind) throw new Error(`No schema for ${label}`)
  new Kind(structuredClone(manifest) as never).validate()
}

test('there is one of each kind', () => {
  expect(labelled.map(([label]) => label).sort((a, b) => a.localeCompare(b))).toEqual(Object.keys(kinds))
})

test.each(labelled)('%s is as Kubernetes wants it', (label, manifest) => {
  expect(() => validate(label, manifest)).not.toThrow()
})

test('the schemas refuse what is wrong', () => {
  const deployment = structuredClone(named('Deployment')) as Manifest & { spec: Record<string, unknown> }
  delete deployment.spec.selector
  expect(() => validate('apps/v1 Deployment', deployment)).toThrow(/selector/)
  const service = { ...named('Service'), spec: { ports: [{ port: 'eighty' }] } }
  expect(() => validate('v1 Service', service)).toThrow(/port/)
  const scaler = { ...named('HorizontalPodAutoscaler'), spec: { maxReplicas: '10' } }
  expect(() => validate('autoscaling/v2 HorizontalPodAutoscaler', scaler)).toThrow(/scaleTargetRef|maxReplicas/)
})

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly readinessProbe: unknown
  readonly livenessProbe: unknown
  readonly securityContext: unknown
  readonly resources: unknown
  readonly env: readonly { readonly name: string; readonly valueFrom: { secretKeyRef: { key: string } } }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
interface PodSpec {
  readonly containers: readonly [Container]
  readonly volumes: readonly { readonly name: string }[]
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: unknown
}
const template = (named('Deployment').spec as { template: { metadata: { labels: object }; spec: PodSpec } }).template
const pod = template.spec
const [container] = pod.containers

test('what is named is there: labels, ports, volumes, keys and the scaled deployment', () => {
  const { labels } = template.metadata
  for (const spec of [named('Service').spec, named('PodDisruptionBudget').spec, named('Deployment').spec]) {
    const { selector } = spec as { selector: { matchLabels?: object } }
    expect(selector.matchLabels ?? selector).toEqual(labels)
  }
  expect(named('Service').spec).toMatchObject({ ports: [{ targetPort: container.ports[0]?.name }] })
  const { scaleTargetRef } = named('HorizontalPodAutoscaler').spec as { scaleTargetRef: { name: string } }
  expect(scaleTargetRef.name).toBe(named('Deployment').metadata.name)
  const volumes = pod.volumes.map(({ name }) => name)
  for (const { name } of container.volumeMounts) expect(volumes).toContain(name)
  const secret = Object.keys(named('Secret').stringData as object)
  for (const { valueFrom } of container.env) expect(secret).toContain(valueFrom.secretKeyRef.key)
})

test('probes, rights and limits are set, and calls are given their time at the end', () => {
  expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/health/live' } })
  expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/health/ready' } })
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  expect(container.resources).toMatchObject({ requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '1Gi' } })
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(35)
})

test('every variable is one that the command knows', () => {
  const data = named('ConfigMap').data as Record<string, string>
  expect(unknownVariables([...Object.keys(data), ...container.env.map(({ name }) => name)])).toEqual([])
})
