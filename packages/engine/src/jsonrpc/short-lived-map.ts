// Copying a few entries that often costs nothing beside what it saves.
const RENEWED_AFTER = 256

/**
 * A Map for what comes and goes with every call. V8 links each table that a Map has outgrown to the next one: once such
 * a table has survived two collections, all that was ever put in later stays until a full one. So the Map is made again
 * from time to time.
 */
export class ShortLivedMap<K, V> {
  #map = new Map<K, V>()
  #deleted = 0

  get size(): number {
    return this.#map.size
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  set(key: K, value: V): void {
    // Not while something is deleted, which may happen while the entries are iterated.
    if (this.#deleted >= RENEWED_AFTER) {
      this.#map = new Map(this.#map)
      this.#deleted = 0
    }
    this.#map.set(key, value)
  }

  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false
    this.#deleted += 1
    return true
  }

  clear(): void {
    this.#map = new Map()
    this.#deleted = 0
  }

  keys(): MapIterator<K> {
    return this.#map.keys()
  }

  values(): MapIterator<V> {
    return this.#map.values()
  }

  entries(): MapIterator<[K, V]> {
    return this.#map.entries()
  }
}
