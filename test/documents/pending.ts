/** Statements that do not hold yet, by document and number, and why. Each is played all the same: when it passes, its line here must go. */
export const pending: Readonly<Record<string, Readonly<Record<number, string>>>> = {}
