interface Stage {
  readonly name: string
  readonly steps: readonly { readonly instruction: string; readonly words: readonly string[]; readonly rest: string }[]
}
export function stagesOf(text: string): readonly Stage[]
export function executeStages(
  stages: readonly Stage[],
  where: { readonly context: string; readonly folder: string },
): { readonly folder: string; readonly entry: readonly string[] }
