import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { TOOLCHAINS } from '../analysis/parse/grammar.ts'
import type { Catalog } from './templates.ts'

/** Says what the server is and what it can do. */
export const getServerInfo = (catalog: Catalog, server: { name: string; version: string }): Tool =>
  tool(
    {
      name: 'get_server_info',
      title: 'Get Server Info',
      description: 'Get the server’s name, version, templates and the languages it can analyze',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      input: { type: 'object', properties: {}, additionalProperties: false },
    },
    () => ({
      name: server.name,
      version: server.version,
      templates: catalog.map(({ uri }) => uri),
      template_toolchains: [...new Set(catalog.map(({ toolchain }) => toolchain))],
      analysis_toolchains: Object.keys(TOOLCHAINS),
      languages: [...new Set(Object.values(TOOLCHAINS).flat())],
    }),
  )
