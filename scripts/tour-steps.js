// A day's work on express: what is asked, why, and what a shell would have been asked instead.
// The task: `res.redirect()` without an address only warns and then redirects to "undefined"; from now on it is a TypeError.

const TEST = `    it('should refuse a missing url', function (done) {
      var app = express();

      app.use(function (req, res) {
        res.redirect(undefined);
      });

      request(app)
        .get('/')
        .expect(500, /TypeError: .*url must be a string/, done);
    });

`
const ANCHOR = "    it('should default to a 302 redirect', function(done){"

/** Each step: a heading where a part of the day begins, why, the call, the shell's alternative, which lines of the answer to show. */
export const STEPS = [
  {
    heading: 'Nine o’clock: what is this?',
    why: 'The shape of the project, without what `.gitignore` names.',
    tool: 'directory_tree',
    args: { depth: 1 },
    shell: ['git', 'ls-files'],
    show: 12,
  },
  {
    why: 'Its dependencies are fetched by its own tool; a success is short.',
    tool: 'ci_restore',
    args: { args: ['--ignore-scripts', '--no-audit', '--no-fund'] },
    show: 3,
  },
  {
    why: 'Where do people work, and where is it hard? Tests and examples are left out.',
    tool: 'find_hotspots',
    args: { project_path: '.', period_days: 3650, limit: 3 },
    show: 1,
  },
  {
    why: 'What is in the file that comes first. A shell would read all of it to know.',
    tool: 'outline',
    args: { path: 'lib/response.js' },
    shell: ['cat', 'lib/response.js'],
    from: 17,
    show: 12,
  },
  {
    heading: 'Ten o’clock: the task',
    why: 'Who warns instead of failing?',
    tool: 'search_files',
    args: { content: 'deprecate(', pattern: 'lib/**' },
    shell: ['grep', '-rn', 'deprecate(', 'lib', 'test', 'examples', 'History.md'],
    show: 8,
  },
  {
    why: 'The function, with the numbers of its lines.',
    tool: 'read_file',
    args: { path: 'lib/response.js', offset: 815, limit: 28, lineNumbers: true },
    shell: ['sed', '-n', '815,842p', 'lib/response.js'],
    show: 12,
  },
  {
    why: 'Since when, and by whom?',
    tool: 'git_blame',
    args: { file: 'lib/response.js', startLine: 826, lines: 4 },
    shell: ['git', 'blame', '-L826,829', 'lib/response.js'],
    show: 4,
  },
  {
    why: 'What else was said about it.',
    tool: 'git_log',
    args: { grep: 'redirect', files: ['lib'], maxCount: 5 },
    shell: ['git', 'log', '-5', '-i', '--grep=redirect', '--', 'lib'],
    show: 5,
  },
  {
    why: 'Who calls it, comments and strings aside.',
    tool: 'find_symbol',
    args: { name: 'redirect', which: 'references', limit: 10 },
    shell: ['grep', '-rn', 'redirect', 'lib', 'examples', 'test'],
    show: 6,
  },
  {
    heading: 'Eleven o’clock: a test that fails',
    why: 'A branch first.',
    tool: 'git_create_branch',
    args: { branch: 'redirect-needs-url' },
    show: 1,
  },
  { why: 'And onto it.', tool: 'git_checkout', args: { branch: 'redirect-needs-url' }, show: 1 },
  {
    why: 'The test, put before the first one there is.',
    tool: 'edit_file',
    args: { path: 'test/res.redirect.js', edits: [{ oldText: ANCHOR, newText: TEST + ANCHOR }] },
    show: 10,
  },
  {
    why: 'It must fail, and of the run only the failure matters.',
    tool: 'ci_run_tests',
    args: { test: 'res .redirect' },
    shell: ['npm', 'test', '--', '--grep', 'res .redirect'],
    fails: true,
    show: 14,
  },
  {
    heading: 'Noon: the change',
    why: 'All edits are made, or none.',
    tool: 'edit_file',
    args: {
      path: 'lib/response.js',
      edits: [
        {
          oldText:
            "  if (!address) {\n    deprecate('Provide a url argument');\n  }\n\n  if (typeof address !== 'string') {\n    deprecate('Url must be a string');\n  }\n",
          newText:
            "  if (typeof address !== 'string') {\n    throw new TypeError('url must be a string to res.redirect');\n  }\n",
        },
      ],
    },
    show: 18,
  },
  { why: 'Now it passes.', tool: 'ci_run_tests', args: { test: 'res .redirect' }, show: 6 },
  {
    why: 'All 1,257 of them. A success is short.',
    tool: 'ci_run_tests',
    args: {},
    shell: ['npm', 'test'],
    show: 6,
  },
  {
    heading: 'Two o’clock: second thoughts',
    why: 'A word in the message was not the best. It is tried out …',
    tool: 'edit_file',
    args: { path: 'lib/response.js', edits: [{ oldText: 'url must be a string to res.redirect', newText: 'URL?' }] },
    show: 6,
  },
  { why: '… and taken back.', tool: 'undo_edit', args: {}, show: 1 },
  {
    why: 'Is the style right? The linter runs in the background.',
    tool: 'start_command',
    args: { command: 'npm run lint' },
    show: 2,
  },
  {
    why: 'What the change is, by file.',
    tool: 'git_diff',
    args: { format: 'stat' },
    shell: ['git', 'diff'],
    show: 4,
  },
  {
    why: 'The linter is waited for until it ends.',
    tool: 'command_output',
    args: { id: 'command-1', offset: 100_000, wait: 60 },
    show: 3,
  },
  {
    heading: 'Three o’clock: done',
    why: 'Staged.',
    tool: 'git_add',
    args: { files: ['lib/response.js', 'test/res.redirect.js'] },
    show: 3,
  },
  {
    why: 'Committed, without running a hook.',
    tool: 'git_commit',
    args: { message: 'res.redirect() throws a TypeError without a url' },
    show: 2,
  },
  { why: 'Nothing is left lying about.', tool: 'git_status', args: {}, show: 3 },
]
