const LONGEST = 100

/** A value as an error echoes it: quoted, cut, and on one line. */
export function quote(value: string): string {
  const cut = value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value
  return `'${JSON.stringify(cut).slice(1, -1).replaceAll('\\"', '"')}'`
}
