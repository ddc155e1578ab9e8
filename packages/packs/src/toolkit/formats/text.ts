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

/** What would be read as Markdown is not. */
const plain = (value: string | number): string =>
  String(value)
    .replace(/[\\|<>*_`[\]]/g, '\\$&')
    .replace(/\s+/g, ' ')
