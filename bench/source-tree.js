import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FUNCTIONS_PER_FILE = 12

const node = name => `/** Adds up what ${name} is given. */
export function ${name}(items: readonly number[], limit = 10): number {
  let total = 0
  for (const item of items) {
    if (item > limit && item % 2 === 0) {
      total += item * 2
    } else if (item < 0 || limit === 0) {
      continue
    } else {
      total -= items.length > 3 ? item : 1
    }
  }
  return items.filter(item => item > total).length + total
}

`
const python = name => `def ${name}(items, limit=10):
    """Adds up what ${name} is given."""
    total = 0
    for item in items:
        if item > limit and item % 2 == 0:
            total += item * 2
        elif item < 0 or limit == 0:
            continue
        else:
            total -= item if len(items) > 3 else 1
    return len([item for item in items if item > total]) + total


`
const rust = name => `/// Adds up what ${name} is given.
pub fn ${name}(items: &[i64], limit: i64) -> Result<i64, Error> {
    let mut total = 0;
    for item in items {
        match item {
            x if *x > limit && x % 2 == 0 => total += x * 2,
            x if *x < 0 || limit == 0 => continue,
            x => total -= check(*x)?,
        }
    }
    Ok(items.iter().filter(|item| **item > total).count() as i64 + total)
}

`
const c = name => `/* Adds up what ${name} is given. */
long ${name}(const long *items, size_t count, long limit) {
    long total = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i] > limit && items[i] % 2 == 0) {
            total += items[i] * 2;
        } else if (items[i] < 0 || limit == 0) {
            continue;
        } else {
            total -= count > 3 ? items[i] : 1;
        }
    }
    return total;
}

`
const KINDS = { node: [node, '.ts'], 'python-uv': [python, '.py'], rust: [rust, '.rs'], c: [c, '.c'] }

/** Write a tree of source files with so many lines. */
export async function writeTree(root, toolchain, lines) {
  const [make, ending] = KINDS[toolchain]
  const perFile = FUNCTIONS_PER_FILE * (make('f').split('\n').length - 1)
  const files = Math.ceil(lines / perFile)
  for (let start = 0; start < files; start += 100) {
    const folder = join(root, `part${start / 100}`)
    await mkdir(folder, { recursive: true })
    const names = Array.from({ length: Math.min(100, files - start) }, (_, i) => start + i)
    await Promise.all(
      names.map(n => {
        const functions = Array.from({ length: FUNCTIONS_PER_FILE }, (_, i) => make(`work_${n}_${i}`))
        return writeFile(join(folder, `file${n}${ending}`), functions.join(''))
      }),
    )
  }
  return root
}

/** Make a repository with so many commits, each of which changes five files of five hundred. */
export async function writeHistory(root, commits) {
  await mkdir(root, { recursive: true })
  await git(root, ['init', '-q', '-b', 'main'])
  const start = Math.floor(Date.now() / 1000) - commits * 3600
  const stream = Array.from({ length: commits }, (_, n) => commit(n, start + n * 3600)).join('')
  await git(root, ['fast-import', '--quiet'], stream)
  return root
}

function commit(n, time) {
  const who = `Author ${n % 20} <author${n % 20}@example.org> ${time} +0000`
  const files = Array.from({ length: 5 }, (_, i) => {
    const text = Array.from({ length: 50 + (n % 30) }, (_, line) => `line ${line} of ${(n * (i + line)) % 97}\n`).join(
      '',
    )
    return `M 100644 inline dir${i}/file${(n * 7 + i * 13) % 100}.txt\ndata ${text.length}\n${text}\n`
  })
  return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata 6\nchange\n${files.join('')}\n`
}

async function git(root, args, input = '') {
  const child = spawn('git', args, { cwd: root, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`git ${args[0]} failed`)
}
