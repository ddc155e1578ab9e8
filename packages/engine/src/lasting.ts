/** Results that stay as they are, such as pages of a list: what is made of them can be kept. */
export const lasting: WeakSet<object> = new WeakSet()
