/** The flags of logging in and out, a row each. */
export const LOGIN_FLAGS = [
  { name: 'all', only: ['logout'], about: 'The logins of all principals (logout)' },
  {
    name: 'principal',
    value: 'NAME',
    about: 'Whose login it is, as gateways name their clients; default: that of the command line (login, logout)',
  },
  {
    name: 'client-id',
    value: 'ID',
    about: 'Client that is registered at the authorization server; default: register one (login)',
  },
  {
    name: 'client-secret-env',
    value: 'NAME',
    about: 'Environment variable with the secret of that client (login)',
  },
  {
    name: 'redirect-uri',
    value: 'URL',
    about: 'Where the browser comes back to on this machine; default: a random port (login)',
  },
  {
    name: 'scope',
    value: 'NAME',
    list: true,
    only: ['login'],
    about: 'Scopes to ask for in addition to those that the server asks for (login)',
  },
  { name: 'no-browser', about: 'Print the link, and do not open a browser (login)' },
] as const
