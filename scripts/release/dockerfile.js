// A Dockerfile as stages and steps, and its steps executed in plain folders: for machines without a container engine.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The stages of a Dockerfile, each with its instructions; lines that end with a backslash go on. */
export function stagesOf(text) {
  const lines = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
  const stages = []
  for (const line of lines) {
    const [instruction, ...words] = line.split(/\s+/)
    if (instruction === 'FROM') stages.push({ name: words[2] ?? 'final', steps: [] })
    else stages.at(-1)?.steps.push({ instruction, words, rest: line.slice(instruction.length).trim() })
  }
  return stages
}

// What needs a machine of its own: packages of the system, other users, folders at the top.
const OF_THE_SYSTEM = /apt-get|chown/

/** Execute the steps of every stage below a folder; the folder of the last stage, and its entry point. */
export function executeStages(stages, { context, folder }) {
  const top = name => join(folder, name)
  let entry = []
  for (const { name, steps } of stages) {
    let at = '/'
    mkdirSync(top(name), { recursive: true })
    const inStage = path => join(top(name), path.startsWith('/') ? path : join(at, path))
    for (const { instruction, words, rest } of steps) {
      if (instruction === 'WORKDIR') mkdirSync(inStage((at = words[0])), { recursive: true })
      if (instruction === 'COPY') copy(words, { context, top, inStage })
      if (instruction === 'RUN' && !OF_THE_SYSTEM.test(rest))
        execFileSync('sh', ['-ec', rest], { cwd: inStage('.'), stdio: ['ignore', 'ignore', 'inherit'] })
      if (instruction === 'ENTRYPOINT')
        entry = JSON.parse(rest).map(word => (word.startsWith('/') ? inStage(word) : word))
    }
  }
  return { folder: top(stages.at(-1).name), entry }
}

function copy(words, { context, top, inStage }) {
  const from = words.find(word => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter(word => !word.startsWith('--'))
  const to = paths.pop()
  for (const path of paths) {
    const source = join(from === undefined ? context : top(from), path)
    const isFolderContent = existsSync(join(source, '.')) && from !== undefined && to === './'
    const target = to.endsWith('/') && !isFolderContent ? join(inStage(to), basename(path)) : inStage(to)
    cpSync(source, target, { recursive: true, filter: file => !isIgnored(file.slice(context.length)) })
  }
}

// As .dockerignore has it.
const isIgnored = path => /\/packages\/[^/]+\/(?:node_modules|dist)(?:\/|$)/.test(path) && !path.includes('/app/')
