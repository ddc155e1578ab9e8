import { era, nameOf } from './results-page.js'

const width = 880
const rowHeight = 26
const labelWidth = 250
const barWidth = 470
const ours = '#0e7490'
const others = '#94a3b8'

/** Bars of calls per second, each group with a scale of its own; light and dark. */
export function chart({ stdio, http, gateway, machine, commit }) {
  const many = stdio.load.find(({ depth }) => depth > 1)
  const groups = [
    { title: `stdio, ${many.depth} calls in flight`, bars: many.rows.map(bar) },
    ...http.cases
      .filter(({ connections }) => connections > 1)
      .map(one => ({ title: `HTTP: ${era(one)}`, bars: one.rows.map(bar) })),
    {
      title: 'Through a gateway, 32 calls at a time',
      bars: gateway.cases
        .filter(({ at, name }) => at === 32 && name !== 'via http')
        .map(({ name, perSecond }) => ({ name, value: perSecond })),
    },
  ]
  const lines = []
  let top = 44
  for (const { title, bars } of groups) {
    lines.push(`<text x="16" y="${top}" class="title">${escaped(title)}</text>`)
    top += 12
    const most = Math.max(...bars.map(({ value }) => value))
    for (const { name, value } of bars) {
      lines.push(...barLines(name, value, most, top))
      top += rowHeight
    }
    top += 34
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" role="img" aria-label="Calls per second of Causeway and others">
<style>
  text { font: 13px system-ui, sans-serif; fill: #1e293b }
  .title { font-weight: 600; font-size: 15px }
  .small { font-size: 11px; fill: #64748b }
  .ours { font-weight: 600 }
  @media (prefers-color-scheme: dark) { text { fill: #e2e8f0 } .small { fill: #94a3b8 } .paper { fill: #0f172a } }
</style>
<rect class="paper" width="${width}" height="${top}" rx="8" fill="#f8fafc"/>
<text x="16" y="20" class="small">Calls per second, more is better. ${escaped(machine)}, commit ${commit}. Figures with their spread: bench/RESULTS.md</text>
${lines.join('\n')}
</svg>
`
}

function bar({ name, median }) {
  return { name, value: median }
}

function barLines(name, value, most, top) {
  const isOurs = name === 'causeway' || name === 'via stdio'
  const label = nameOf(name).replaceAll('**', '')
  const length = Math.max(1, Math.round((value / most) * barWidth))
  const middle = top + rowHeight / 2 + 4
  return [
    `<text x="${labelWidth}" y="${middle}" text-anchor="end"${isOurs ? ' class="ours"' : ''}>${escaped(label)}</text>`,
    `<rect x="${labelWidth + 10}" y="${top + 4}" width="${length}" height="${rowHeight - 8}" rx="3" fill="${isOurs ? ours : others}"/>`,
    `<text x="${labelWidth + 18 + length}" y="${middle}"${isOurs ? ' class="ours"' : ''}>${Math.round(value).toLocaleString('en-US')}</text>`,
  ]
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
