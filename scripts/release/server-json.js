// server.json, which tells registries of MCP servers where the packages are.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages.js'

/** The description of this server for a registry. `bundle` is the .mcpb file with its hash, if there is one. */
export function serverJson(version, bundle) {
  const { mcpName, repository, description } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
  const url = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
  const folder = {
    type: 'named',
    name: '--root',
    description: 'Folder that files, git, commands and analysis are confined to',
    format: 'filepath',
    isRequired: true,
  }
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Causeway',
    description,
    version,
    repository: { url, source: 'github' },
    packages: [
      {
        registryType: 'npm',
        identifier: 'causeway-mcp',
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [folder],
      },
      ...(bundle
        ? [
            {
              registryType: 'mcpb',
              identifier: `${url}/releases/download/v${version}/${bundle.name}`,
              fileSha256: bundle.sha256,
              transport: { type: 'stdio' },
            },
          ]
        : []),
    ],
  }
}
