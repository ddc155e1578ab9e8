// What the operations of OpenAPI documents cost a model: node scripts/openapi-costs.js FILE…, after npm run build.
import { readFileSync } from 'node:fs'
import { estimateTokens } from '@causeway/engine'
import { METHODS, openApiSource } from '@causeway/engine/openapi'

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8')
  for (const methods of [['get', 'head'], METHODS]) {
    const began = performance.now()
    const { tools, skipped } = openApiSource(text, { base: 'https://api.example', methods })
    const ms = performance.now() - began
    const tokens = tools
      .list({})
      .map(({ info }) => estimateTokens(JSON.stringify(info)))
      .toSorted((a, b) => a - b)
    const sum = tokens.reduce((all, one) => all + one, 0)
    const figures = [Math.round(sum / tokens.length), tokens[tokens.length >> 1], tokens.at(-1)]
    const served = methods === METHODS ? 'all' : 'GET'
    console.log(
      `${file}: ${served}: ${tokens.length} tools, tokens ${figures.join(', ')}, together ${sum}, left out ${skipped.length}, ${Math.round(ms)} ms`,
    )
  }
}
