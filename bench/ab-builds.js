import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './targets.js'

const installMs = 600_000

/**
 * The folder of a built revision. `.` is the working tree, built anew; any other name is a commit, which is cloned,
 * installed and built once and kept below the system's temporary folder for later runs.
 */
export function buildOf(revision) {
  if (revision === '.') {
    run('npm', ['run', '-s', 'build'], root)
    return { name: 'working tree', folder: root }
  }
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`)
  const folder = join(tmpdir(), 'causeway-ab', commit)
  if (!existsSync(folder)) makeBuild(commit, folder)
  return { name: `${revision} (${commit.slice(0, 7)})`, folder }
}

// Made beside its place and renamed at the end, so that an interrupted build is never taken for a whole one.
function makeBuild(commit, folder) {
  const partial = `${folder}.${process.pid}`
  console.log(`building ${commit.slice(0, 7)} …`)
  mkdirSync(join(folder, '..'), { recursive: true })
  try {
    run('git', ['clone', '-q', '--shared', '--no-checkout', root, partial], root)
    run('git', ['checkout', '-q', commit], partial)
    run('npm', ['ci', '--no-audit', '--no-fund'], partial)
    renameSync(partial, folder)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: installMs })
}
