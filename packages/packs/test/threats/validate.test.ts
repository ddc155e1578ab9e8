import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPatterns, validateFolder } from '@causeway/packs/threats'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'threats-'))
})
afterEach(() => rm(folder, { recursive: true }))

const good = await readFile(join(ownPatterns, '007-sequential-ids.yaml'), 'utf8')
const alone = good.replace(/ {2}related_patterns:[\s\S]*(?= {2}testing:)/, '')

async function findings(files: Readonly<Record<string, string>>): Promise<string[]> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
  const { findings: all } = await validateFolder(folder)
  return all.map(({ file, level, what }) => `${file}: ${level}: ${what}`)
}

test('a good file has no findings, and other files are left alone', async () => {
  expect(await findings({ 'a.yaml': alone, 'readme.md': 'no: [' })).toEqual([])
})

test('what is missing is named', async () => {
  const bare = `threat_pattern:
  tier: A
  severity: dreadful
  agent_summary: { threat: ' ', check: c }
  mitigations: [{ id: M }]
`
  expect(await findings({ 'a.yaml': bare })).toEqual([
    'a.yaml: error: id is required',
    'a.yaml: error: name is required',
    'a.yaml: error: category is required',
    'a.yaml: error: description is required',
    'a.yaml: error: agent_summary.threat is required',
    'a.yaml: error: agent_summary.fix is required',
    "a.yaml: error: severity 'dreadful' must be one of critical, high, medium, low",
    'a.yaml: error: likelihood is required',
    'a.yaml: error: language is required',
    'a.yaml: error: framework is required',
    'a.yaml: error: mitigations[0].description is required',
    'a.yaml: error: attack_scenario.narrative is required in tier A',
    'a.yaml: warning: triggers.keywords is empty: no query finds the pattern',
    'a.yaml: warning: provenance.source_type is missing',
    'a.yaml: warning: tier A without generalizes_to',
    'a.yaml: warning: tier A without security_principles',
    'a.yaml: warning: tier A without code examples',
  ])
})

test('a long summary is a warning, no mitigation an error, a strange id too', async () => {
  const long = alone
    .replace(/check: .*/, `check: ${'x'.repeat(400)}`)
    .replace(/mitigations:[\s\S]*/, 'mitigations: []\n')
    .replace('TMKB-AUTHZ-007', 'seven')
  expect(await findings({ 'a.yaml': long })).toEqual([
    "a.yaml: error: id 'seven' must be capitals and digits joined by hyphens",
    'a.yaml: error: mitigations must have at least one',
    expect.stringMatching(/^a\.yaml: warning: agent_summary has \d+ characters, more than 400$/),
  ])
})

test('patterns are checked against each other', async () => {
  expect(await findings({ 'a.yaml': good, 'b.yml': alone })).toEqual([
    "a.yaml: error: related_patterns names 'TMKB-AUTHZ-002', which no file has",
    "a.yaml: error: related_patterns names 'TMKB-AUTHZ-010', which no file has",
    "b.yml: error: id 'TMKB-AUTHZ-007' is taken by another file",
  ])
})

test('what is no YAML, no map or another document is named with its place', async () => {
  const found = await findings({
    'a.yaml': 'threat_pattern:\n  id: [1, 2\n',
    'b.yaml': 'threat_pattern: 5\n',
    'c.yaml': 'other: 1\n',
    'd.yaml': '',
  })
  expect(found).toEqual([
    expect.stringMatching(/^a\.yaml: error: .* at line 3, column 1/),
    'b.yaml: error: threat_pattern must be a map',
    'c.yaml: error: must have one key, threat_pattern',
    'd.yaml: error: must have one key, threat_pattern',
  ])
})

test('a file that grows when it is read is refused', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `n${at}`)
  const bomb = names.map((name, at) => {
    const inner = at === 0 ? 'x' : `*${names[at - 1]}`
    return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join()}]`
  })
  expect(await findings({ 'a.yaml': bomb.join('\n') })).toEqual([expect.stringContaining('alias')])
})

test('a link that leads out of the folder is refused', async () => {
  await symlink(join(ownPatterns, '007-sequential-ids.yaml'), join(folder, 'out.yaml'))
  await writeFile(join(folder, 'in.yaml'), alone)
  await symlink('in.yaml', join(folder, 'inside.yaml'))
  expect(await findings({})).toEqual([
    "inside.yaml: error: id 'TMKB-AUTHZ-007' is taken by another file",
    'out.yaml: error: is a link that leads out of the folder',
  ])
})

test('a folder that is not there is an error', async () => {
  await expect(validateFolder(join(folder, 'gone'))).rejects.toThrow('ENOENT')
})
