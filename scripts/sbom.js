// Prints a software bill of materials (CycloneDX) of what we ship: the dependencies at run time, and the packages that are
// bundled into our builds although npm counts them as development dependencies.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BUNDLED } from '../rolldown.config.js'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] }
const bill = JSON.parse(execFileSync('npm', args, options))

// Not `npm sbom --omit dev`, which also drops what is needed both at run time and for development.
const isForDevelopment = ({ properties }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
const components = bill.components.filter(part => BUNDLED.includes(part.name) || !isForDevelopment(part))
const missing = BUNDLED.filter(name => !components.some(part => part.name === name))
if (missing.length > 0) throw new Error(`Bundled, but not installed: ${missing.join(', ')}`)

const kept = new Set([...components, bill.metadata.component].map(part => part['bom-ref']))
const dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(name => kept.has(name)) }))
console.log(JSON.stringify({ ...bill, components, dependencies }, null, 2))
