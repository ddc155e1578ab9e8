/** The flags that choose a transport, a row each. */
export const TRANSPORT_FLAGS = [
  { name: 'stdio', about: 'Serve on standard input and output (the default)' },
  { name: 'http', about: 'Serve over HTTP: /mcp, /sse, /ws, /rpc' },
  { name: 'transport', value: 'NAME', choices: ['stdio', 'http'], about: 'The same as --stdio or --http' },
  { name: 'watch', about: 'Reload when the configuration file changes, as on SIGHUP' },
] as const

/** The flags of serving over HTTP, a row each. */
export const HTTP_FLAGS = [
  { name: 'host', value: 'ADDRESS', default: '127.0.0.1', about: 'Address to listen on' },
  { name: 'port', parse: 'port', value: 'N', default: '5000', about: 'Port to listen on; 0 picks a free one' },
  {
    name: 'socket',
    parse: 'path',
    value: 'PATH',
    about: 'Listen on this Unix socket, which only your user may use, instead of a port',
  },
  { name: 'tls-cert', parse: 'path', value: 'FILE', about: 'Serve HTTPS with this certificate chain (PEM); followed' },
  { name: 'tls-key', parse: 'path', value: 'FILE', about: 'Private key of --tls-cert (PEM)' },
  {
    name: 'tls-client-ca',
    parse: 'path',
    value: 'FILE',
    about: 'Let in clients with a certificate of these authorities (PEM); the common name is the principal',
  },
  { name: 'token-file', value: 'FILE', about: 'Require a token listed in this file' },
  {
    name: 'auth-issuer',
    parse: 'issuerUrl',
    value: 'URL',
    list: true,
    about: 'Accept access tokens of this authorization server (OAuth 2.1); more in the key auth of the --config file',
  },
  {
    name: 'auth-dpop',
    value: 'MODE',
    choices: ['allow', 'require'],
    about: 'Accept access tokens that are bound to a key of the client (DPoP), or only those',
  },
  { name: 'allow-anonymous', about: 'Allow clients without a token on addresses other than loopback' },
  {
    name: 'allow-host',
    parse: 'hostName',
    value: 'NAME',
    list: true,
    about: 'Host names that requests may use, such as that of a proxy',
  },
  { name: 'public-url', parse: 'publicUrl', value: 'URL', about: 'URL that clients use, through a proxy' },
  { name: 'allow-origin', value: 'ORIGIN', list: true, about: 'Origins of web pages that may use the server' },
  {
    name: 'console',
    value: 'MODE',
    choices: ['on', 'off'],
    about:
      'Serve the console, a page to try everything in a browser, at /; default: on, but off if anyone could use it',
  },
  { name: 'max-connections', parse: 'count', value: 'N', default: '4096', about: 'Most open connections' },
  { name: 'max-sessions', parse: 'count', value: 'N', default: '10000', about: 'Most open sessions' },
  {
    name: 'workers',
    parse: 'workers',
    value: 'N',
    default: '1',
    about: 'Processes that serve the port together; auto for one per core',
  },
  {
    name: 'store',
    parse: 'storeUrl',
    value: 'URL',
    about:
      'Share sessions, limits and keys with other processes: redis://user:password@host:port/database, or rediss://',
  },
  {
    name: 'store-prefix',
    parse: 'keyPrefix',
    value: 'TEXT',
    default: 'cw:',
    about: 'Prefix of every key in the store',
  },
] as const
