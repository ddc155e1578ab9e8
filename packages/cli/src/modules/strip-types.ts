import { transform } from 'sucrase'

/** TypeScript as JavaScript, with every line where it was. */
export const stripTypes = (source: string): string =>
  transform(source, { transforms: ['typescript'], disableESTransforms: true }).code
