/** What people call what these tools do. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  generate_template:
    'create make one file makefile readme ci workflow dockerfile gitignore from a template boilerplate',
  list_templates: 'which project file templates are there available exist starters',
  validate_template: 'check template parameters before generating',
  scaffold_project: 'start begin new fresh project app skeleton bootstrap initialize from scratch starter',
  search_templates: 'look for a template by words',
  analyze_complexity:
    'complicated nested long large functions methods cyclomatic cognitive hard to read maintainability code quality metrics refactor',
  analyze_code_churn: 'files touched changed modified most often frequently commits per file history activity authors',
  find_hotspots: 'riskiest worst problematic dangerous parts areas of the code technical debt refactor first',
  outline:
    'structure overview of a source file module which functions classes methods types symbols does it contain have define',
  find_symbol: 'jump go to definition where is a function class type variable declared defined implemented',
  read_symbol: 'show get source code body implementation of one function method class only without the whole file',
  find_references: 'who uses usages all places where a class function variable type is used referenced',
  call_hierarchy: 'who calls callers of a function callees what does it call call graph',
  find_duplicates: 'copy pasted duplicated repeated cloned similar code blocks',
  find_dead_exports: 'unused dead code exports functions that are not imported or used anywhere',
  analyze_dependencies:
    'imports between modules files circular cycles dependency graph what depends on coupling architecture',
  analyze_directories: 'lines of code loc per folder directory language size of the codebase statistics',
  replace_symbol: 'rewrite swap change implementation body of a function method class',
  insert_symbol: 'add put a new function method class code before after next to below above an existing one',
  rename_symbol: 'rename change name of a variable function class method everywhere across all files refactor',
  diagnose:
    'type check typecheck compile errors compiler warnings problems lint red squiggles does it compile types wrong in what I changed',
  get_server_info: 'name version templates languages of this server',
}
