/** Does a place mean the thing? `unclear` says why nobody can know. */
export type Verdict = 'yes' | 'no' | { readonly unclear: string }
