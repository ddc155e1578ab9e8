export function serverJson(
  version: string,
  bundle?: { readonly name: string; readonly sha256: string },
): Record<string, unknown>
