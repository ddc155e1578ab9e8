/** Flags that name where tools come from, beside packs and servers, and what looks at code for them. */
export const SOURCE_FLAGS = [
  { name: 'tools-dir', value: 'DIR', list: true, about: 'Also serve the tools that modules in this folder export' },
  {
    name: 'scripts',
    parse: 'path',
    value: 'DIR',
    list: true,
    about: 'Also serve the scripts in this folder that declare a tool in a comment, or those of its package.json',
  },
  {
    name: 'openapi',
    value: 'FILE|URL',
    about:
      'Also serve the operations of an HTTP API as tools: an OpenAPI 3.0, 3.1 or Swagger 2.0 document, JSON or YAML',
  },
  {
    name: 'openapi-base',
    value: 'URL',
    about: 'Address of the API, in place of what the document says; may be in a private network',
  },
  { name: 'openapi-tag', value: 'TAG', list: true, about: 'Serve only operations with this tag' },
  {
    name: 'openapi-method',
    value: 'METHOD',
    choices: ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'all'],
    list: true,
    about: 'Serve operations with this method; default: get and head, which only read',
  },
  {
    name: 'openapi-path',
    value: 'PATTERN',
    list: true,
    about: 'Serve only operations with this path; * matches anything',
  },
  {
    name: 'skills',
    value: 'DIR',
    list: true,
    about:
      'Also serve the skills in this folder: each folder with a SKILL.md; builtin for those that come with Causeway',
  },
  {
    name: 'language-servers',
    value: 'MODE',
    choices: ['auto', 'off'],
    default: 'auto',
    about: 'Use language servers that are installed outside the roots: types, references, renames, diagnostics',
  },
  {
    name: 'allow-language-server',
    value: 'NAME',
    choices: ['typescript', 'pyright', 'gopls', 'clangd', 'rust-analyzer', 'jdtls', 'csharp-ls'],
    list: true,
    about: 'Language servers that may run what a project names, such as its own TypeScript or build scripts',
  },
] as const
