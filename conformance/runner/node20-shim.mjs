import { register } from 'node:module'

/**
 * Lets the runner start on Node 20: its bundle imports `fs.globSync` by name, which came with Node 22.
 * The one place that calls it is `tier-check`, which we do not use; it gets a stub that says so.
 */
const hook = `
  const stub = name => 'const ' + name + ' = () => { throw new Error("globSync needs Node 22") };'

  export async function load(url, context, next) {
    const loaded = await next(url, context)
    if (!url.endsWith('/@modelcontextprotocol/conformance/dist/index.js')) return loaded
    let name
    const source = loaded.source.toString().replace(/^#!.*\\n/, '')
      .replace(/globSync as (\\w+),/, (_, local) => ((name = local), ''))
    return { ...loaded, source: name ? stub(name) + source : source }
  }
`

register('data:text/javascript,' + encodeURIComponent(hook))
