import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { fileData } from '../../support/file-data.ts'
import { notRead } from '../formats/not-read.ts'
import { findDuplicates } from '../structure/duplicates.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from './analysis.ts'
import type { Bench } from './analysis.ts'

/** Finds copied code. */
export const findDuplicateCode = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_duplicates',
      task: 'optional',
      use: fileData,
      title: 'Find Duplicates',
      description: 'Find copied code: runs of equal tokens, comments and layout aside, the most worth removing first',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          project_path: PROJECT_PATH,
          toolchain: TOOLCHAIN,
          min_tokens: { type: 'integer', minimum: 20, maximum: 10_000, default: 100, description: 'Shortest run' },
          include_tests: { type: 'boolean', default: false, description: 'Look at tests and generated files too' },
          ...PAGING,
          limit: { ...PAGING.limit, default: 20 },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ min_tokens, include_tests, limit, offset, ...subject }, ctx) => {
      const found = await measure(bench, { ...subject, ask: 'tokens' }, ctx)
      const kept = found.files.filter(({ origin }) => include_tests || origin === 'maintained')
      const tokens = kept.flatMap(({ file, findings }) => (findings?.tokens ? [{ file, ...findings.tokens }] : []))
      const duplicates = findDuplicates(tokens, min_tokens)
      const all = tokens.reduce((sum, { hashes }) => sum + hashes.length, 0)
      const copied = duplicates.reduce((sum, d) => sum + d.tokens * (d.count - 1), 0)
      const { items, ...page } = paged(duplicates, { limit, offset })
      const share = all === 0 ? 0 : Math.round((1000 * copied) / all) / 10
      return {
        summary: { files_read: kept.length, duplicated_percent: share },
        ...page,
        duplicates: items,
        ...notRead(found),
      }
    },
  )
