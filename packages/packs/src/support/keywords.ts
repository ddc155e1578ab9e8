import type { Feature } from '@causeway/engine'

/** Tools with the words that people use for what they do, by which `find_tools` finds them. */
export const withKeywords = (features: readonly Feature[], words: Readonly<Record<string, string>>): Feature[] =>
  features.map(feature =>
    feature.kind === 'tool' && Object.hasOwn(words, feature.name)
      ? Object.assign({}, feature, { keywords: words[feature.name] })
      : feature,
  )
