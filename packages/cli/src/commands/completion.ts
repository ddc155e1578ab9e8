import type { Args } from '../config/args.ts'
import { actionNamed } from '../config/args.ts'
import { commands } from '../config/command-table.ts'
import { UsageError } from '../config/usage-error.ts'
import { printExact } from '../terminal/print.ts'
import { wordsFor } from '../terminal/completion-words.ts'

// Both names of the program.
const PROGRAMS = ['causeway', 'causeway-mcp']

const SCRIPTS: Readonly<Record<string, () => string>> = { bash, zsh, fish }

// A shell expands the words that it offers, and servers chose some of them: what could be a command is left out.
const isPlain = (word: string): boolean => /^[\w@.:/=+,-]{1,200}$/.test(word)

/** Print the script of a shell; with `words`, what may come next on a command line, which the scripts ask for. */
export async function completion(args: Args): Promise<number> {
  const [shell, ...line] = args.positionals
  if (shell === 'words') {
    await printExact((await wordsFor(line)).filter(isPlain).join('\n'))
    return 0
  }
  if (shell === undefined || line.length > 0) throw new UsageError(`Name one shell. Usage: ${args.command.usage}`)
  await printExact(actionNamed(SCRIPTS, shell)())
  return 0
}

function bash(): string {
  return `# Completion of causeway for bash: source <(causeway completion bash)
_causeway() {
  local IFS=$'\\n'
  local line=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion words -- "\${line[@]}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _causeway ${PROGRAMS.join(' ')}`
}

function zsh(): string {
  return `#compdef ${PROGRAMS.join(' ')}
# Completion of causeway for zsh: source <(causeway completion zsh)
_causeway() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${found[1]}" ]] && compadd -a found || _files
}
compdef _causeway ${PROGRAMS.join(' ')}`
}

function fish(): string {
  return [
    '# Completion of causeway for fish: causeway completion fish > ~/.config/fish/completions/causeway.fish',
    'function __causeway_words',
    '  set -l line (commandline -opc) (commandline -ct)',
    '  $line[1] completion words -- $line[2..-1] 2>/dev/null',
    'end',
    ...PROGRAMS.map(program => `complete -c ${program} -a '(__causeway_words)'`),
    ...commands.map(({ name, about }) => described(name, about)),
  ].join('\n')
}

const described = (name: string, about: string): string =>
  `complete -c causeway -n __fish_use_subcommand -a ${name} -d '${about.replaceAll("'", String.raw`\'`)}'`
