// Positions are found by the first letters of what is looked for.
const LEAD = 4

/** Where each of many texts is in another one, if it is there exactly once; those that are very short are not looked for. */
export function findUnique(text: string, wanted: readonly string[]): (number | undefined)[] {
  const byLead = new Map<string, number[]>()
  const isLead = new Uint8Array(1 << 16)
  wanted.forEach((words, i) => {
    if (words.length < LEAD) return
    const lead = words.slice(0, LEAD)
    const same = byLead.get(lead)
    if (same) same.push(i)
    else byLead.set(lead, [i])
    isLead[hash(words, 0)] = 1
  })
  const counts = new Uint8Array(wanted.length)
  const places = new Int32Array(wanted.length)
  for (let at = 0; at + LEAD <= text.length; at++) {
    if (isLead[hash(text, at)] === 0) continue
    for (const i of byLead.get(text.slice(at, at + LEAD)) ?? []) {
      if (counts[i]! > 1 || !text.startsWith(wanted[i] ?? '', at)) continue
      counts[i]!++
      places[i] = at
    }
  }
  return wanted.map((_, i) => (counts[i] === 1 ? places[i] : undefined))
}

/** Of four letters; it says quickly where none of the texts can begin. */
const hash = (text: string, i: number): number =>
  (text.charCodeAt(i) ^ (text.charCodeAt(i + 1) << 3) ^ (text.charCodeAt(i + 2) << 6) ^ (text.charCodeAt(i + 3) << 9)) &
  0xffff
