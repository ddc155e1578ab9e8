/** What the exit codes mean. */
export const EXIT_CODES: readonly { readonly code: number; readonly about: string }[] = [
  { code: 0, about: 'It worked; inspect and doctor found nothing wrong' },
  { code: 1, about: 'It failed: the tool returned an error, or inspect, doctor or servers found something' },
  { code: 2, about: 'The command line is wrong, or the port is in use' },
  { code: 4, about: 'A configuration, a file of servers, a lock, a file of tokens or a stored login is wrong' },
  { code: 5, about: 'Permission is missing, for a file or a port' },
  { code: 6, about: 'The server of --url or --command, or its authorization server, cannot be reached' },
  { code: 7, about: 'The server of --url, or one of --servers, requires a login, or the login failed' },
  { code: 10, about: 'lock diff, lock verify: something changed' },
  { code: 11, about: 'lock diff, lock verify: descriptions or hints changed' },
  { code: 130, about: 'Ctrl-C cancelled a call' },
]
