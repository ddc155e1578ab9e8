import type { Extension, Method } from '../call.ts'
import { didYouMean } from '../schema/nearest.ts'

const ID = /^[A-Za-z][\w.-]*\/[A-Za-z0-9][\w.-]*$/

/** The methods of an extension, ready for the table of methods; one that cannot be added throws with what to mend. */
export function extensionMethods(
  { id, methods = [], notifications = [] }: Extension,
  known: ReadonlyMap<string, Method>,
  extensions: ReadonlyMap<string, Extension>,
): Method[] {
  if (!ID.test(id)) {
    throw new TypeError(
      `Extension '${id.slice(0, 100)}' needs an owner's prefix in its id, such as 'com.example/${id.slice(0, 100) || 'name'}'`,
    )
  }
  if (extensions.has(id)) throw new TypeError(`Extension '${id}' was added already`)
  for (const { name } of methods) {
    if (known.has(name)) throw new TypeError(`Extension '${id}': there is a method '${name}' already`)
  }
  for (const name of notifications) {
    if (!name.startsWith('notifications/')) {
      throw new TypeError(`Extension '${id}': a notification's name begins with 'notifications/', unlike '${name}'`)
    }
  }
  return methods.map(method => ({ ...method, extension: id }))
}

/** The extension that declares a notification; one that none does throws with the nearest. */
export function extensionOf(method: string, extensions: readonly Extension[]): string {
  const extension = extensions.find(({ notifications }) => notifications?.includes(method))
  if (extension) return extension.id
  const known = extensions.flatMap(({ notifications = [] }) => notifications)
  const hint = didYouMean(method, known) ?? `There is ${known.join(', ') || 'none'}.`
  throw new TypeError(`No extension declares the notification '${method}'. ${hint}`)
}
