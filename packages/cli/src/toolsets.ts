/** A group of tools that is listed, or not, as a whole. */
export interface Toolset {
  readonly name: string
  readonly about: string
  readonly tools: readonly string[]
}

/** Every tool of ours in the one group it belongs to. */
export const toolsets: readonly Toolset[] = [
  {
    name: 'files',
    about: 'Read, search, write and move files below the roots',
    tools: [
      'read_file',
      'read_files',
      'list_directory',
      'directory_tree',
      'search_files',
      'file_info',
      'file_exists',
      'directory_exists',
      'write_file',
      'edit_file',
      'create_directory',
      'move_file',
      'copy_file',
      'delete_file',
      'delete_directory',
      'undo_edit',
    ],
  },
  {
    name: 'git',
    about: 'History, changes, branches and commits of repositories',
    tools: [
      'git_status',
      'git_log',
      'git_diff',
      'git_show',
      'git_blame',
      'git_list_branches',
      'git_current_branch',
      'git_list_tags',
      'git_list_worktrees',
      'git_add',
      'git_commit',
      'git_create_branch',
      'git_checkout',
      'git_merge',
      'git_restore',
      'git_stash',
      'git_create_tag',
    ],
  },
  {
    name: 'builds',
    about: 'Build, test and run what the project has; commands that the operator allows',
    tools: [
      'ci_build',
      'ci_run_tests',
      'ci_restore',
      'run_command',
      'start_command',
      'command_output',
      'stop_command',
      'list_commands',
    ],
  },
  {
    name: 'templates',
    about: 'Makefiles, READMEs, CI and other files for new projects',
    tools: ['generate_template', 'list_templates', 'validate_template', 'scaffold_project', 'search_templates'],
  },
  {
    name: 'analysis',
    about: 'Outlines, symbols, complexity, churn, copies and dependencies of source code',
    tools: [
      'outline',
      'find_symbol',
      'analyze_complexity',
      'analyze_code_churn',
      'find_hotspots',
      'find_duplicates',
      'find_dead_exports',
      'analyze_dependencies',
      'analyze_directories',
    ],
  },
  {
    name: 'cassini',
    about: 'Observations of the Cassini mission to Saturn',
    tools: [
      'query_observations_by_team',
      'query_observations_by_target',
      'query_observations_by_timerange',
      'get_observation_details',
      'search_observations',
      'get_statistics',
      'get_timeline',
      'list_teams',
      'list_targets',
    ],
  },
  {
    name: 'threats',
    about: 'Threats to authorization, and code that withstands them',
    tools: ['tmkb_query', 'tmkb_get', 'tmkb_list', 'tmkb_validate', 'tmkb_schema'],
  },
  {
    name: 'basics',
    about: 'Sums, secrets, and facts about this server and its machine',
    tools: [
      'add_numbers',
      'multiply_numbers',
      'system_ping',
      'system_echo',
      'generate_secret',
      'get_server_info',
      'get_diagnostics',
      'debug_get_server_info',
      'debug_print_env',
    ],
  },
]
