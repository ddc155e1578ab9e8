import type { Report } from '../analysis/report.ts'
import { notReadNote } from './not-read.ts'
import type { Violation } from '../analysis/thresholds.ts'

/** A static analysis report in the format SARIF 2.1.0. */
export type Sarif = Readonly<Record<string, unknown>>

const RULES = [
  {
    id: 'cyclomatic-complexity',
    name: 'CyclomaticComplexity',
    shortDescription: { text: 'A function has too many paths through it' },
    fullDescription: { text: 'McCabe complexity: one, and one more for each decision.' },
    help: { text: 'Split the function, or replace branches by data.' },
    defaultConfiguration: { level: 'warning' },
  },
  {
    id: 'cognitive-complexity',
    name: 'CognitiveComplexity',
    shortDescription: { text: 'A function is hard to follow' },
    fullDescription: {
      text: 'Cognitive complexity: breaks in the flow of reading, the more the deeper they are nested.',
    },
    help: { text: 'Return early, flatten nested branches, or move them into functions of their own.' },
    defaultConfiguration: { level: 'warning' },
  },
] as const

/** A report as SARIF; what was not read or could not be parsed is among the tool's notifications. */
export function sarif(
  { violations, unparsable = [], not_read: unread = {} }: Report,
  tool: { name: string; version: string },
): Sarif {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: tool.name, version: tool.version, rules: RULES } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: [
              ...unparsable.map(({ file, line, reason }) => ({
                level: 'warning',
                message: { text: reason },
                locations: [location(file, line)],
              })),
              ...notReadNote({ unread }).map(note => ({ level: 'warning', message: { text: note } })),
            ],
          },
        ],
        columnKind: 'utf16CodeUnits',
        results: violations.map(result),
      },
    ],
  }
}

const result = ({ rule, severity, message, file, line, value, threshold }: Violation): object => ({
  ruleId: rule,
  ruleIndex: RULES.findIndex(({ id }) => id === rule),
  level: severity,
  message: { text: message },
  locations: [location(file, line)],
  properties: { value, threshold },
})

const location = (file: string, line: number | undefined): object => ({
  physicalLocation: {
    artifactLocation: { uri: toUri(file) },
    ...(line !== undefined && { region: { startLine: line } }),
  },
})

const toUri = (file: string): string => file.replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/')
