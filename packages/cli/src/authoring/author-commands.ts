/** The commands for those who write servers, a row each. */
export const AUTHOR_COMMANDS = [
  {
    name: 'new',
    usage: 'causeway new NAME [--schema zod|json]',
    about: 'Make a small server of your own, in TypeScript',
    flags: ['schema', 'json', 'quiet'],
    positionals: true,
    notes: [
      'The folder has a tool, a resource and a prompt, tests without sockets, snippets for clients, a Dockerfile and CI. npm start serves it.',
      'npm create causeway NAME does the same.',
    ],
    examples: [
      ['causeway new weather', 'a server in the folder weather'],
      ['causeway new weather --schema json', 'schemas without a library'],
    ],
  },
  {
    name: 'dev',
    usage: 'causeway dev DIR|FILE [--stdio | --http --port PORT] [flags of serve]',
    about: 'Serve modules while you write them: what changes is loaded again, and clients stay connected',
    groups: ['transport', 'http', 'limits', 'tools', 'sources', 'settings'],
    flags: ['quiet'],
    positionals: true,
    notes: [
      'The modules export tools, resources and prompts, as for --tools-dir. TypeScript needs no build.',
      'A module that is broken stays as it was. Errors name file and line, in the terminal and in answers; calls are shown as they end.',
    ],
    examples: [
      ['causeway dev src/server.ts --http', 'one module and what it imports, with the console in a browser'],
      ['causeway dev tools', 'every module of a folder, for a client that starts it'],
    ],
  },
  {
    name: 'record',
    usage: 'causeway record --out FILE --url URL | causeway record --out FILE -- COMMAND [ARGUMENTS]',
    about: 'Stand between a client and a server, and keep what both say',
    flags: ['header', 'token-env', 'pass-env', 'key-file', 'data', 'store', 'store-prefix', 'out', 'url', 'quiet'],
    positionals: true,
    notes: [
      'The client speaks to it on standard input and output, as it would to the server. Secrets are masked; request ids, ids and times are made the same in every recording.',
      'A FILE that is a transcript is replaced; any other file is left alone. docs/transcripts.md describes the format.',
    ],
    examples: [
      ['causeway record --out talk.jsonl -- node dist/main.js', 'as the command of a client, in place of the server'],
      ['causeway record --out talk.jsonl --url http://127.0.0.1:5000/mcp', 'a server that runs'],
    ],
  },
  {
    name: 'replay',
    usage: 'causeway replay FILE --against URL|"COMMAND" | causeway replay --serve FILE [--http --port PORT]',
    about: 'Play a transcript to a server and show what differs, or serve what was recorded',
    flags: [
      'header',
      'token-env',
      'pass-env',
      'key-file',
      'data',
      'store',
      'store-prefix',
      'against',
      'serve',
      'timeout',
      'stdio',
      'http',
      'port',
      'host',
      'log-level',
      'json',
      'quiet',
    ],
    positionals: true,
    notes: [
      'It exits with 0 if the server says what it said, 10 if something differs, and 6 if it cannot be reached.',
      '--serve is a server with the recorded lists and answers, in every revision of the protocol.',
    ],
    examples: [
      ['causeway replay talk.jsonl --against "node dist/main.js"', 'in CI: is everything as it was?'],
      ['causeway replay --serve talk.jsonl --http --port 5000', 'a stand-in for the server, for tests of clients'],
    ],
  },
] as const
