/**
 * What runs in the thread that finds and reads modules, as the text of a module. Within the roots, a file that changed is
 * another module than it was, named by its version; every import is told to the loader; types are taken away where Node
 * does not do that itself.
 */
export const MODULE_HOOKS = `
  import { readFile } from 'node:fs/promises'
  let known, strip, port, roots, versions = {}
  export const initialize = data => {
    ;({ known, strip, port, roots } = data)
    port.on('message', message => {
      ;({ roots, versions } = message)
      port.postMessage({ turn: message.turn })
    })
    port.unref()
  }
  const plain = url => url.split('?')[0]
  const isOurs = url =>
    url.startsWith('file:') && !url.includes('/node_modules/') && roots.some(root => url.startsWith(root))
  // As Node tells of its own: the stack begins with the place.
  const syntaxError = ({ message, loc }, url) => {
    const failure = new SyntaxError(message.replace(/ [(][0-9]+:[0-9]+[)]$/, ''))
    failure.stack = [url, loc?.line ?? 1, loc?.column ?? 1].join(':') + '\\n\\nSyntaxError: ' + failure.message
    return failure
  }
  const find = async (specifier, context, next) => {
    try { return await next(specifier, context) }
    catch (error) {
      if (Object.hasOwn(known, specifier)) return { url: known[specifier], format: 'module' }
      const isOwn = /^[.]{1,2}[/]/.test(specifier) && isOurs(context.parentURL ?? '')
      // TypeScript names what a file becomes.
      if (isOwn && /[.]m?js$/.test(specifier)) return next(specifier.replace(/js$/, 'ts'), context)
      throw error
    }
  }
  export const resolve = async (specifier, context, next) => {
    const found = await find(specifier, context, next)
    const url = plain(found.url)
    if (!isOurs(url)) return { ...found, shortCircuit: true }
    if (context.parentURL) port.postMessage({ parent: plain(context.parentURL), child: url })
    return { ...found, url: versions[url] ? url + '?v=' + versions[url] : url, shortCircuit: true }
  }
  export const load = async (url, context, next) => {
    if (!strip || !/[.]m?ts$/.test(plain(url)) || !isOurs(url)) return next(url, context)
    const { stripTypes } = await import(strip)
    const text = await readFile(new URL(plain(url)), 'utf8')
    try { return { format: 'module', source: stripTypes(text), shortCircuit: true } }
    catch (error) { throw syntaxError(error, plain(url)) }
  }`
