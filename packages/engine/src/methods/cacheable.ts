/** Results that never change, such as pages of a list: what is made of them can be kept. */
export const cacheable: WeakSet<object> = new WeakSet()
