import type { Params } from '@causeway/engine'
import type { Lists } from '../../source/fetch-lists.ts'
import type { Definition } from './fingerprint.ts'

/** One kind of what a server offers, and where its lists and the lock have it. */
export interface FeatureKind {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template' | 'extension' | 'skill'
  /** The member of the lock. */
  readonly member: 'tools' | 'prompts' | 'resources' | 'templates' | 'extensions' | 'skills'
  /** The definitions in a server's lists, by name. */
  listed(lists: Lists): readonly (readonly [name: string, definition: Definition])[]
}

const by = (items: readonly Params[], key: string): readonly (readonly [string, Definition])[] =>
  items.map(item => [String(item[key]), item] as const)

/** Everything that the lock covers, but for instructions. Another kind is another row. */
export const FEATURES: readonly FeatureKind[] = [
  { kind: 'tool', member: 'tools', listed: ({ tools }) => by(tools, 'name') },
  { kind: 'prompt', member: 'prompts', listed: ({ prompts }) => by(prompts, 'name') },
  { kind: 'resource', member: 'resources', listed: ({ resources }) => by(resources, 'uri') },
  { kind: 'template', member: 'templates', listed: ({ templates }) => by(templates, 'uriTemplate') },
  { kind: 'extension', member: 'extensions', listed: ({ extensions = {} }) => Object.entries(extensions) },
  { kind: 'skill', member: 'skills', listed: ({ skills = [] }) => by(skills, 'uri') },
]

/** The instructions of a server as a definition, so that they are compared and shown as one. */
export const instructionsOf = ({ instructions }: Lists): Definition | undefined =>
  instructions === undefined ? undefined : { text: instructions }
