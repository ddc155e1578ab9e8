/** The commands of logging in and out, a row each. */
export const LOGIN_COMMANDS = [
  {
    name: 'login',
    usage: 'causeway login SERVER|URL [--client-id ID] [--scope NAME] [--no-browser]',
    about: 'Log in to an MCP server with a browser',
    groups: ['settings', 'login'],
    flags: ['servers', 'data', 'store', 'store-prefix', 'timeout', 'json', 'quiet'],
    positionals: true,
    notes: [
      'SERVER is the name of a server in the file of --servers; without that flag the file is causeway/mcp.json in the folder for settings (~/.config).',
      'It prints a link and opens it in a browser. If the browser is on another machine, paste the address that it ends on. It waits for 5 minutes, or for the time of --timeout.',
      'The tokens are sealed with the key of --key-file and refreshed when they are used: by call, list, read, prompt and inspect with that URL, and by gateways.',
    ],
    examples: [
      ['causeway login https://example.com/mcp', 'a server at a URL'],
      ['causeway login tracker --servers mcp.json', 'a server of a file'],
      ['causeway login https://example.com/mcp --client-id my-client', 'where clients are registered beforehand'],
    ],
  },
  {
    name: 'logout',
    usage: 'causeway logout SERVER|URL [--principal NAME | --all]',
    about: 'Delete a stored login, and revoke its tokens',
    groups: ['settings'],
    flags: ['servers', 'data', 'store', 'store-prefix', 'principal', 'all', 'json', 'quiet'],
    positionals: true,
    examples: [
      ['causeway logout https://example.com/mcp', 'your own login'],
      ['causeway logout tracker --servers mcp.json --all', 'the logins of all clients of a gateway'],
    ],
  },
] as const
