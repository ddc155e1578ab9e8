import { didYouMean } from '@causeway/engine'
import { clientPrograms } from '@causeway/engine/client-programs'
import { LOGIN_COMMANDS } from '../login/login-commands.ts'
import { DAEMON_COMMANDS } from '../daemon/daemon-commands.ts'
import { AUTHOR_COMMANDS } from '../authoring/author-commands.ts'
import { flags } from './flags.ts'
import type { Flag, FlagGroup, FlagName } from './flags.ts'
import { OPERATOR_COMMANDS } from './operator-commands.ts'
import { UsageError, sentence } from './usage-error.ts'

/** A command, and what it takes. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly about: string
  /** Groups of flags it takes, with the general ones. */
  readonly groups?: readonly FlagGroup[]
  /** Flags of other groups that it takes. */
  readonly flags?: readonly FlagName[]
  /** Takes arguments that are not flags. */
  readonly positionals?: boolean
  /** More lines for its help. */
  readonly notes?: readonly string[]
  /** What to type, and what it is for. */
  readonly examples?: readonly (readonly [string, string])[]
}

// What every command that uses a server as a client takes.
const REMOTE: readonly FlagName[] = ['url', 'command', 'header', 'token-env', 'store', 'store-prefix', 'json', 'quiet']
// Where stored logins are.
const LOGINS: readonly FlagName[] = ['data', 'store', 'store-prefix']
// What every command that assembles a server takes.
const SERVING: readonly FlagGroup[] = ['tools', 'sources', 'settings']

/** Every command there is. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: 'causeway [serve] [--stdio | --http] [flags]',
    about: 'Serve tools to an MCP client',
    groups: ['transport', 'http', 'limits', ...SERVING],
    examples: [
      ['causeway', 'on standard input and output, for a client that starts it'],
      ['causeway serve --http --token-file tokens', 'over HTTP, for clients with a token'],
      ['causeway --root ~/code --read-only', 'one folder, and no tool that writes'],
      ['causeway --servers mcp.json --pack none', 'only other MCP servers, as a gateway'],
      ['causeway --openapi petstore.yaml --pack none', 'the operations of an HTTP API'],
    ],
  },
  ...DAEMON_COMMANDS,
  ...AUTHOR_COMMANDS,
  {
    name: 'install',
    usage: 'causeway install CLIENT | --all [--scope user|project] [--dry-run] [flags of serve]',
    about: 'Add Causeway to the configuration of an MCP client',
    groups: ['tools', 'sources', 'limits'],
    flags: ['scope', 'url', 'token-file', 'all', 'yes', 'dry-run', 'json', 'quiet'],
    positionals: true,
    notes: [
      `Clients: ${clientPrograms.map(({ id }) => id).join(', ')}.`,
      'Other entries, comments and layout of the file stay. A copy of the file is kept beside it, as FILE.before-causeway.',
    ],
    examples: [
      ['causeway install claude-code', 'the tools in the folder that Claude Code is started in'],
      ['causeway install claude-desktop --root ~/code --read-only', 'one folder, and no tool that writes'],
      ['causeway install cursor --url http://127.0.0.1:5000/mcp --token-file tokens', 'a running server, with a token'],
    ],
  },
  {
    name: 'uninstall',
    usage: 'causeway uninstall CLIENT | --all [--scope user|project] [--token-file FILE] [--dry-run]',
    about: 'Remove Causeway from the configuration of an MCP client',
    flags: ['scope', 'token-file', 'all', 'dry-run', 'json', 'quiet'],
    positionals: true,
    notes: [
      'The file is then as it was before, unless it was changed since. --token-file also revokes the token of the client.',
    ],
    examples: [['causeway uninstall cursor --token-file tokens', 'its entry, and its token']],
  },
  {
    name: 'doctor',
    usage: 'causeway doctor [--fix] [--json] [flags of serve]',
    about: 'Check this machine, the servers and the clients, and say what to do',
    groups: ['transport', 'http', 'limits', ...SERVING],
    flags: ['fix', 'json', 'quiet'],
    notes: [
      'It starts every server of --servers, and what the files of clients name causeway. It exits with 1 if something fails.',
    ],
    examples: [
      ['causeway doctor', 'this machine, and the clients on it'],
      ['causeway doctor --http --servers mcp.json --store redis://localhost:6379', 'all that such a server needs'],
    ],
  },
  {
    name: 'list',
    usage: 'causeway list [tools|prompts|resources|templates] [--url URL | --command "…"] [flags]',
    about: 'Show the tools that would be served, or those of another server',
    groups: SERVING,
    flags: [...REMOTE, 'tokens'],
    positionals: true,
    examples: [
      ['causeway list', 'the tools in this folder'],
      ['causeway list --tokens', 'what each of them costs a model'],
      ['causeway list resources --url http://127.0.0.1:5000/mcp', 'the resources of a running server'],
    ],
  },
  {
    name: 'describe',
    usage: 'causeway describe TOOL [--url URL | --command "…"] [flags]',
    about: 'Show what one tool does and which arguments it takes',
    groups: SERVING,
    flags: REMOTE,
    positionals: true,
    examples: [
      ['causeway describe search_files', 'a tool of ours'],
      ['causeway describe read_graph --command "npx -y @modelcontextprotocol/server-memory"', 'one of another server'],
    ],
  },
  {
    name: 'call',
    usage: 'causeway call TOOL [key=value …] [--args OBJECT] [--url URL | --command "…"] [flags]',
    about: 'Call one tool and print its result',
    groups: SERVING,
    flags: [...REMOTE, 'args', 'timeout'],
    positionals: true,
    notes: [
      'If the tool takes text, the value is that text; otherwise it is read as JSON.',
      'What the server asks is asked in the terminal; Ctrl-C cancels the call.',
    ],
    examples: [
      ['causeway call add_numbers number1=5 number2=3', 'numbers, and true, false or null'],
      [`causeway call git_add 'files=["a.txt","b.txt"]'`, 'an array'],
      [`causeway call generate_template … 'parameters={"a":1}'`, 'an object'],
      [`causeway call add_numbers --args '{"number1":5}' number2=3`, 'all at once; key=value overrides it'],
      ['causeway call add_numbers --args - < arguments.json', 'from standard input'],
      ['causeway call search query=mcp --url https://example.com/mcp --token-env TOKEN', 'another server'],
    ],
  },
  {
    name: 'read',
    usage: 'causeway read URI [--url URL | --command "…"] [flags]',
    about: 'Read one resource and print what it holds',
    groups: SERVING,
    flags: [...REMOTE, 'timeout'],
    positionals: true,
    examples: [['causeway read file:///etc/hosts --command "my-server --stdio"', 'a resource of another server']],
  },
  {
    name: 'prompt',
    usage: 'causeway prompt NAME [key=value …] [--args OBJECT] [--url URL | --command "…"] [flags]',
    about: 'Fill in one prompt and print its messages',
    groups: SERVING,
    flags: [...REMOTE, 'args', 'timeout'],
    positionals: true,
    examples: [['causeway prompt review language=go --url http://127.0.0.1:5000/mcp', 'a prompt of a running server']],
  },
  {
    name: 'inspect',
    usage: 'causeway inspect URL | -- COMMAND [ARGUMENTS]',
    about: 'Show what an MCP server speaks and offers, and what clients would refuse',
    flags: ['header', 'token-env', 'pass-env', 'key-file', ...LOGINS, 'json', 'sarif', 'quiet'],
    positionals: true,
    notes: [
      'It exits with 0 if there is nothing to change, 1 if there are errors or warnings, 6 if the server cannot be reached, and 7 if it requires a login. docs/inspect.md describes the rules.',
    ],
    examples: [
      ['causeway inspect http://127.0.0.1:5000/mcp', 'a running server'],
      ['causeway inspect -- npx -y @modelcontextprotocol/server-everything', 'a command'],
      ['causeway inspect https://example.com/mcp --token-env TOKEN --sarif > inspect.sarif', 'for code scanning'],
    ],
  },
  ...LOGIN_COMMANDS,
  {
    name: 'servers',
    usage: 'causeway servers list|status|logs|restart|enable|disable|import [NAME] [--servers FILE]',
    about: 'List, check, restart and edit the MCP servers in a file',
    groups: ['settings'],
    flags: ['json', 'quiet', 'servers', ...LOGINS],
    positionals: true,
    notes: [
      'Without --servers the file is causeway/mcp.json in the folder for settings (~/.config).',
      '  list             the servers in the file, and who is logged in to them',
      '  status           start each of them, and show its protocol revision, how many tools it has, and who is logged in',
      '  logs NAME        what a server wrote to its standard error',
      '  restart NAME     let running gateways end it; the next call starts it again',
      '  enable, disable NAME   whether it is served; running gateways follow',
      '  import CLIENT    copy the servers of a client into the file; those of a project arrive disabled.',
      `Clients: ${clientPrograms.map(({ id }) => id).join(', ')}.`,
    ],
    examples: [
      ['causeway servers import claude-desktop', 'copy the servers that Claude Desktop has'],
      ['causeway servers status --servers mcp.json', 'start each of them, and count its tools'],
    ],
  },
  {
    name: 'lock',
    usage: 'causeway lock [write|diff|approve SERVER [NAME…]|verify] [--servers FILE]',
    about: 'Record what servers offer, and show what changed',
    groups: ['settings'],
    flags: ['json', 'quiet', 'servers', 'data'],
    positionals: true,
    notes: [
      'The lock is the file mcp.lock beside the first file of servers.',
      '  write            record tools, prompts, resources, templates and instructions; a server that is down keeps its entry',
      '  diff, verify     show what changed, with old and new text',
      '  approve SERVER   approve all of a server, or only NAMEs: tools, prompts, URIs, or instructions; running gateways follow',
      'If a server cannot be asked, it is named, and the exit code is 1.',
      'diff and verify exit with 0 if nothing changed, 10 if something did, 11 if descriptions or hints did, 4 if the lock cannot be read.',
    ],
    examples: [
      ['causeway lock write --servers mcp.json', 'record what the servers offer now'],
      ['causeway lock diff --servers mcp.json', 'show what they changed since'],
    ],
  },
  {
    name: 'store',
    usage: 'causeway store stats|clear --store URL',
    about: 'Count, or delete, what processes keep in a shared store',
    flags: ['json', 'quiet', 'store', 'store-prefix', 'config'],
    positionals: true,
    notes: [
      '  stats    how many keys of each kind there are; node: running processes',
      '  clear    delete every key under the prefix; running processes write back the sessions they know',
    ],
    examples: [['causeway store stats --store redis://localhost:6379', 'what is kept there']],
  },
  ...OPERATOR_COMMANDS,
  {
    name: 'cassini',
    usage: 'causeway cassini import FILE.csv [--lenient] [--data DIR]',
    about: 'Import the public master plan of the Cassini mission',
    flags: ['data', 'lenient', 'json', 'quiet'],
    positionals: true,
    notes: [
      'The plan is master_plan.csv in http://archive.redfour.io/cassini/cassini_data.zip',
      'Its columns: start_time_utc, duration, date, team, spass_type, target, request_name, library_definition, title, description.',
    ],
    examples: [['causeway cassini import master_plan.csv', 'the plan, once it is downloaded']],
  },
  {
    name: 'threats',
    usage: 'causeway threats validate [DIR]',
    about: 'Check the files of a threat knowledge base',
    flags: ['json', 'quiet'],
    positionals: true,
    examples: [['causeway threats validate patterns', 'every file in a folder']],
  },
  {
    name: 'help',
    usage: 'causeway help [COMMAND]',
    about: 'Show help, on everything or on one command',
    positionals: true,
    examples: [['causeway help call', 'what call takes']],
  },
  {
    name: 'completion',
    usage: 'causeway completion bash|zsh|fish',
    about: 'Print a script that completes commands, flags, tools and servers in a shell',
    positionals: true,
    examples: [
      ['source <(causeway completion bash)', 'in ~/.bashrc'],
      ['source <(causeway completion zsh)', 'in ~/.zshrc, after compinit'],
      ['causeway completion fish > ~/.config/fish/completions/causeway.fish', 'once'],
    ],
  },
  {
    name: 'version',
    usage: 'causeway version',
    about: 'Show the version',
    flags: ['json', 'quiet'],
    examples: [['causeway version', 'the version alone, on one line']],
  },
]

/** The command of that name; an unknown one is refused with the nearest. */
export function commandNamed(name: string): Command {
  const found = commands.find(c => c.name === name)
  if (found) return found
  const names = commands.map(c => c.name)
  const shown = name.slice(0, 100)
  throw new UsageError(
    sentence(`Unknown command '${shown}'.`, didYouMean(name, names), `Commands: ${names.join(', ')}.`),
  )
}

/** The flags of a command, as that command understands them. */
export const flagsOf = (command: Command): readonly Flag[] =>
  flags.filter(({ name, group, only }) => {
    const isTaken = group === 'general' || command.groups?.includes(group) || command.flags?.some(one => one === name)
    return isTaken && (only?.includes(command.name) ?? true)
  })
