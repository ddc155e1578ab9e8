/** The tool that reads on where a result was cut: few hosts let a model read resources. */
export const READ_RESULT = 'read_result'

/** Keys of ours in `_meta` of results. */
export const RESULT_META = {
  /** Which arguments were taken for what they were meant to be. */
  repaired: 'dev.causeway/repaired',
  /** What of a result was left out, and where the whole of it is. */
  excerpt: 'dev.causeway/excerpt',
  /** How many values of a result were masked. */
  masked: 'dev.causeway/masked',
  /** Which part of a text this is: `offset`, `limit`, `total`, and `next` where there is more. */
  page: 'dev.causeway/page',
  /** Who wrote the text of a result: it is data, whatever it says. */
  data: 'dev.causeway/data',
} as const
