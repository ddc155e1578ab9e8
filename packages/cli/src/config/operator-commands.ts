/** The commands for those who let others in, a row each. */
export const OPERATOR_COMMANDS = [
  {
    name: 'token',
    usage: 'causeway token [rotate|revoke] NAME [--scope NAME] [--token-file FILE]',
    about: 'Create, replace or revoke a token in a token file',
    flags: ['scope', 'token-file', 'json', 'quiet'],
    positionals: true,
    notes: [
      'The token is printed on stdout. Its line, which holds a hash, is added to the file of --token-file; without that flag it is printed on stderr.',
    ],
    examples: [
      ['causeway token ada --token-file tokens', 'a new token for ada'],
      ['causeway token revoke ada --token-file tokens', 'end it; running servers follow'],
    ],
  },
  {
    name: 'validate',
    usage: 'causeway validate FILE',
    about: 'Check a configuration file, and name every mistake with its line',
    flags: ['json', 'quiet'],
    positionals: true,
    notes: [
      'It exits with 0 if the file can be used, and with 4 if it cannot. Servers in the file are checked, and not started.',
    ],
    examples: [['causeway validate causeway.yaml', 'the file that serve would find here']],
  },
  {
    name: 'rights',
    usage: 'causeway rights explain --who NAME (--tool NAME | --resource URI | --prompt NAME) [--config FILE]',
    about: 'Show which rule of the key rights decides',
    groups: ['rights'],
    flags: ['config', 'json', 'quiet'],
    positionals: true,
    notes: [
      'It exits with 0 if the rules allow it, and with 1 if they do not. The names of tools are those that lists show.',
      "--who '*' is a caller without a token. Scopes and issuers count only if they are named.",
    ],
    examples: [
      ['causeway rights explain --config causeway.json --who alice --tool git_push', 'may alice push?'],
      ["causeway rights explain --config causeway.json --who '*' --resource file:///notes.md", 'may anyone read it?'],
    ],
  },
  {
    name: 'audit',
    usage: 'causeway audit verify|query FILE… [--expected-head HASH] [--principal NAME] [--tool NAME] [--json]',
    about: 'Verify an audit, or find entries in it',
    groups: ['audit'],
    flags: ['tool', 'json', 'quiet'],
    positionals: true,
    notes: [
      '  verify   check that no line was changed, removed, added or moved; print the hash of the last line',
      '  query    print the entries that fit all flags; with --json, their lines as they are',
      'verify exits with 0 if the audit is intact, and with 1 if it is not; it names the first wrong line.',
      'Name files that were rotated together. --since and --until take a time, or a while ago such as 2h.',
    ],
    examples: [
      ['causeway audit verify audit*.jsonl', 'the current file, and those before it'],
      ["causeway audit query audit.jsonl --principal alice --tool 'git_*' --since 24h", 'what alice did today'],
    ],
  },
] as const

/** Which head has to be there, and which entries are wanted: the flags of `causeway audit`. */
export const AUDIT_FLAGS = [
  { name: 'expected-head', value: 'HASH', list: true, about: 'A hash that the audit must contain (audit verify)' },
  { name: 'principal', value: 'NAME', about: 'Only entries of this principal; * matches anything (audit query)' },
  { name: 'outcome', value: 'WORD', about: 'Only entries with this outcome, such as failed (audit query)' },
  { name: 'since', value: 'TIME', about: 'Only entries from this time on (audit query)' },
  { name: 'until', value: 'TIME', about: 'Only entries before this time (audit query)' },
] as const

/** Who wants to use what: the flags of `causeway rights`. */
export const RIGHTS_FLAGS = [
  { name: 'who', value: 'NAME', about: "The name of a caller; '*' for one without a token (rights)" },
  { name: 'with-scope', value: 'NAME', list: true, about: 'Scopes of the token of --who (rights)' },
  { name: 'issuer', value: 'URL', about: 'The issuer of the token of --who (rights)' },
  {
    name: 'tool',
    value: 'NAME',
    about: 'The tool to call (rights), or the tool, prompt or resource of entries (audit query)',
  },
  { name: 'resource', value: 'URI', about: 'The resource to read (rights)' },
  { name: 'prompt', value: 'NAME', about: 'The prompt to get (rights)' },
] as const
