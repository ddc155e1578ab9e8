export function bundleManifest(version: string): {
  readonly version: string
  readonly server: { readonly entry_point: string; readonly mcp_config: { readonly args: readonly string[] } }
}
