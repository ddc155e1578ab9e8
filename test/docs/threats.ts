import { cases, unseen } from '../../packages/packs/test/threats/evaluation.ts'
import { heldOut, heldOutUnrelated } from '../../packages/packs/test/threats/held-out.ts'
import { measure, measureUnrelated } from '../../packages/packs/test/threats/measure.ts'
import { phrased, unrelated } from '../../packages/packs/test/threats/tuning.ts'

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** How well contexts find their patterns, and how often nothing is told where there is nothing to tell. */
export async function retrievalTable(): Promise<string> {
  const [held, tuned] = [await measure(heldOut), await measure([...cases, ...unseen, ...phrased])]
  const [heldSilent, tunedSilent] = [await measureUnrelated(heldOutUnrelated), await measureUnrelated(unrelated)]
  return [
    '| contexts | number | right pattern among the three | as the first |',
    '|---|---|---|---|',
    `| held out | ${held.contexts} | ${percent(held.top3)} | ${percent(held.first)} |`,
    `| tuned with | ${tuned.contexts} | ${percent(tuned.top3)} | ${percent(tuned.first)} |`,
    '',
    '| unrelated work | number | told nothing |',
    '|---|---|---|',
    `| held out | ${heldSilent.contexts} | ${percent(heldSilent.silent)} |`,
    `| tuned with | ${tunedSilent.contexts} | ${percent(tunedSilent.silent)} |`,
  ].join('\n')
}
