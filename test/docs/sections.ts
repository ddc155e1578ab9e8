import { readFileSync, writeFileSync } from 'node:fs'

const address = (file: string): URL => new URL(`../../${file}`, import.meta.url)

/** Where a marked section of a page begins and ends. */
function placeOf(name: string, page: string): [number, number] {
  const open = `<!-- ${name} -->\n`
  return [page.indexOf(open) + open.length, page.indexOf(`\n<!-- /${name} -->`)]
}

/** What stands in a page between `<!-- name -->` and `<!-- /name -->`. */
export function sectionOf(file: string, name: string): string {
  const page = readFileSync(address(file), 'utf8')
  return page.slice(...placeOf(name, page))
}

/** Put something else there. */
export function writeSection(file: string, name: string, text: string): void {
  const page = readFileSync(address(file), 'utf8')
  const [start, end] = placeOf(name, page)
  writeFileSync(address(file), page.slice(0, start) + text + page.slice(end))
}
