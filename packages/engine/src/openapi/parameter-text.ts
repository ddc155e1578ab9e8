import { isObject } from '../support/is-object.ts'
import type { Parameter } from './operations.ts'

/** A name and its value, as they stand in a query or a form. */
export type Pair = readonly [name: string, value: string]

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' }

/** How a value of a query or a form is written, by the style of its parameter. */
export function pairsOf(
  name: string,
  value: unknown,
  { style = 'form', explode = style === 'form', isJson }: Pick<Parameter, 'style' | 'explode' | 'isJson'>,
): readonly Pair[] {
  if (isJson) return [[name, JSON.stringify(value)]]
  if (style === 'deepObject') return bracketed(name, value)
  if (Array.isArray(value)) {
    if (explode) return value.map(item => [name, scalar(item)])
    return [[name, value.map(scalar).join(SEPARATORS[style] ?? ',')]]
  }
  if (isObject(value)) {
    const members = Object.entries(value)
    if (explode) return members.map(([key, member]) => [key, scalar(member)])
    return [[name, members.flatMap(([key, member]) => [key, scalar(member)]).join(',')]]
  }
  return [[name, scalar(value)]]
}

/** `a[b][0]=1`, as many servers read objects. */
function bracketed(name: string, value: unknown): readonly Pair[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => bracketed(`${name}[${i}]`, item))
  if (isObject(value)) return Object.entries(value).flatMap(([key, member]) => bracketed(`${name}[${key}]`, member))
  return [[name, scalar(value)]]
}

/** A value in a path, a header or a cookie, where lists are joined by commas. */
export const simple = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(scalar).join(',')
    : isObject(value)
      ? Object.entries(value)
          .map(([key, member]) => `${key}=${scalar(member)}`)
          .join(',')
      : scalar(value)

const scalar = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
