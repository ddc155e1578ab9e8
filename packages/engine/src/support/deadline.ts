/** The outcome of `work`, or what `late` returns or throws if it takes longer than `ms`. */
export function within<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(late())
      } catch (error) {
        reject(error)
      }
    }, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
