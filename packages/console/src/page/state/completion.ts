import type { Params } from '@causeway/engine/browser'
import { asRecord } from '../schema/schema.ts'
import { client } from './connection.ts'

/** The variables of a URI template, in order. */
export const variablesOf = (template: string): readonly string[] => [
  ...new Set(
    [...template.matchAll(/\{[+#./;?&]?([^}]+)\}/g)].flatMap(([, list = '']) =>
      list.split(',').map(name => name.replace(/(?:\*|:\d+)$/, '')),
    ),
  ),
]

/** The address that a template and its variables make; the common forms of RFC 6570. */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([+#./;?&]?)([^}]+)\}/g, (_, operator: string, list: string) => {
    const names = list.split(',').map(name => name.replace(/(?:\*|:\d+)$/, ''))
    const given = names.filter(name => (values[name] ?? '') !== '')
    if (given.length === 0) return ''
    const isReserved = operator === '+' || operator === '#'
    const encode = (text: string): string => (isReserved ? encodeURI(text) : encodeURIComponent(text))
    const isNamed = operator === '?' || operator === '&' || operator === ';'
    const parts = given.map(name => `${isNamed ? `${name}=` : ''}${encode(values[name] ?? '')}`)
    const first = operator === '+' ? '' : operator
    const between = operator === '?' || operator === '&' ? '&' : operator === '' || isReserved ? ',' : operator
    return `${first}${parts.join(between)}`
  })
}

/** Asks the server what may stand in an argument. */
export function completer(
  ref: Params,
  name: string,
  others: Readonly<Record<string, string>>,
): (typed: string) => Promise<readonly string[]> {
  return async typed => {
    const remote = await client()
    const { [name]: _own, ...beside } = others
    const params = { ref, argument: { name, value: typed }, context: { arguments: beside } }
    const result = await remote.request('completion/complete', params)
    const { values } = asRecord(result.completion)
    return Array.isArray(values) ? values.filter((one): one is string => typeof one === 'string') : []
  }
}
