/** A PNG of one pixel, base64. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A WAV without a sample, base64. */
export const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

/** Resolves after so many milliseconds: the suite wants to see messages arrive one by one. */
export const pause = ms => new Promise(resolve => void setTimeout(resolve, ms))
