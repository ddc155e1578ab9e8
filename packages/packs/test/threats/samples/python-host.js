// Runs samples in Flask, FastAPI and Django: talks to python/host.py, one JSON line per request and per answer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('./python/host.py', import.meta.url))

/** A world for samples in Python; `python` is an interpreter that has the frameworks. */
export function pythonHost(python) {
  const child = spawn(python, ['-B', script], { stdio: ['pipe', 'pipe', 'pipe'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let log = ''
  child.stderr.setEncoding('utf8').on('data', text => (log = (log + text).slice(-4000)))

  const ask = async request => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`python3 ended: ${log}`)
    const { result, error } = JSON.parse(value)
    if (error) throw new Error(error)
    return result
  }

  return {
    async load(framework, code, { rows, folder }) {
      await ask({ op: 'load', framework, code, rows, folder })
      return {
        http: (method, path, options = {}) => ask({ op: 'http', method, path, ...options }),
        sql: statement => ask({ op: 'sql', statement }),
        jobs: () => ask({ op: 'jobs' }),
        mail: () => ask({ op: 'mail' }),
        call: (name, args) => ask({ op: 'call', name, args }),
        resolve: options => ask({ op: 'resolve', ...options }),
        actions: (name, user) => ask({ op: 'admin_actions', name, user }),
        socket: (path, options) => ask({ op: 'socket', path, ...options }),
      }
    },
    async end() {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}
