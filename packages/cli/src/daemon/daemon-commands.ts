/** The commands of the daemon, a row each. */
export const DAEMON_COMMANDS = [
  {
    name: 'attach',
    usage: 'causeway attach [flags of serve] [--idle TIME]',
    about: 'Serve on stdio from one daemon that all clients of this user share',
    groups: ['tools', 'sources', 'limits', 'settings'],
    flags: ['watch', 'idle'],
    notes: [
      'The daemon is started if it does not run, and ends when no client was attached for the time of --idle.',
      'Clients with the same flags share one daemon, and with it the servers behind it. Their sessions are separate.',
    ],
    examples: [
      ['causeway attach --servers ~/mcp.json --pack none', 'what clients start in the place of these servers'],
      ['causeway attach --root ~/code', 'the tools of this folder, for several clients'],
    ],
  },
  {
    name: 'daemon',
    usage: 'causeway daemon status|stop|logs [ID]',
    about: 'Show, stop or read the logs of the daemons of causeway attach',
    flags: ['json', 'quiet'],
    positionals: true,
    notes: [
      '  status       the daemons that run: id, process, clients and flags',
      '  stop [ID]    let calls finish, then end all daemons, or one',
      '  logs [ID]    what the daemons logged',
    ],
    examples: [['causeway daemon status', 'which daemons run, and for how many clients']],
  },
] as const

/** How long a daemon waits for clients: the flag of `causeway attach`. */
export const DAEMON_FLAGS = [
  {
    name: 'idle',
    parse: 'duration',
    value: 'TIME',
    default: '10m',
    about: 'How long the daemon goes on without a client: 30s, 10m, 2h, or off for always (attach)',
  },
] as const
