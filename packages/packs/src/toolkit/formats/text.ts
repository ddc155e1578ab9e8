/** Rows as CSV, RFC 4180: quoted where they must be. */
export const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')

function cell(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Rows as a Markdown table, the first being its head. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const [head = [], ...body] = rows
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(plain).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}

/** Rows as aligned columns, the last one to the left; control characters are shown as spaces. */
export function columns(rows: readonly (readonly (string | number)[])[]): string[] {
  const texts = rows.map(row => row.map(value => String(value).replace(/[\p{Cc}]+/gu, ' ')))
  const widths = (texts[0] ?? []).map((_, i) => Math.max(...texts.map(row => row[i]?.length ?? 0)))
  return texts.map(row => {
    const cells = row.map((text, i) => (i === row.length - 1 ? text : text.padStart(widths[i] ?? 0)))
    return `  ${cells.join('  ')}`
  })
}

/** What would be read as Markdown is not. */
const plain = (value: string | number): string =>
  String(value)
    .replace(/[\\|<>*_`[\]]/g, '\\$&')
    .replace(/\s+/g, ' ')
