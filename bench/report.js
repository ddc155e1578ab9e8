/** The middle value of a list, or the mean of the two middle ones. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const mid = sorted.length >> 1
  return sorted.length % 2 ? sorted[mid] : (sorted[mid - 1] + sorted[mid]) / 2
}

/** Turns samples by name into rows: the median, the range, and the ratio of the median to that of each yardstick. */
export function summarize(samples, yardsticks) {
  return Object.entries(samples).map(([name, values]) => {
    const mid = median(values)
    const to = Object.fromEntries(yardsticks.map(other => [other, samples[other] && mid / median(samples[other])]))
    return { name, median: mid, min: Math.min(...values), max: Math.max(...values), to, values }
  })
}

/** One field of every sample, by name. */
export function pick(samples, field) {
  return Object.fromEntries(Object.entries(samples).map(([name, runs]) => [name, runs.map(run => run[field])]))
}

/** Prints summarized rows as a table; `extras` adds columns, by row. */
export function printTable(title, rows, { unit, digits = 0, extras = [] }) {
  const number = value =>
    value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })
  const yardsticks = Object.keys(rows[0].to)
  const head = ['', unit, 'min – max', ...yardsticks.map(name => `to ${name}`), ...extras.map(extra => extra.head)]
  const body = rows.map(row => [
    row.name,
    number(row.median),
    `${number(row.min)} – ${number(row.max)}`,
    ...yardsticks.map(name => (row.to[name] === undefined ? '-' : `${row.to[name].toFixed(2)}x`)),
    ...extras.map(extra => extra.cell(row)),
  ])
  console.log(`\n${title}`)
  for (const line of alignColumns([head, ...body])) console.log(line)
}

function alignColumns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map(line => line[column].length)))
  return lines.map(line => {
    const [name, ...cells] = line.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at])))
    return `  ${[name, ...cells].join('   ')}`
  })
}
