import { VERSION } from '../version.ts'
import { RULES, levelOf } from '@causeway/engine/internal'
import type { LintFinding } from '@causeway/engine/internal'

/** The findings in the Static Analysis Results Interchange Format, which code hosts show. */
export const sarifOf = (target: string, findings: readonly LintFinding[]): object => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'causeway inspect',
          version: VERSION,
          rules: Object.entries(RULES).map(([id, { about, level }]) => ({
            id,
            shortDescription: { text: about },
            defaultConfiguration: { level },
          })),
        },
      },
      results: findings.map(finding => ({
        ruleId: finding.rule,
        level: levelOf(finding),
        message: { text: `${finding.subject}: ${finding.message}` },
        locations: [
          {
            // A server has no files: what is found is a name in it.
            physicalLocation: { artifactLocation: { uri: encodeURI(target.replaceAll(/\s+/g, '/')) } },
            logicalLocations: [{ fullyQualifiedName: finding.subject }],
          },
        ],
        ...(finding.source !== undefined && { properties: { client: finding.client, source: finding.source } }),
      })),
    },
  ],
})
