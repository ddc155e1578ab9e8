import { basics } from './basics.ts'
import { cassini } from './cassini.ts'
import type { Document } from './row.ts'
import { threats } from './threats.ts'
import { toolkit } from './toolkit.ts'
import { workstation } from './workstation.ts'

/** The five documents, each with the preset that follows it. */
export const documents: readonly (Omit<Document, 'command'> & { readonly title: string })[] = [
  { ...workstation, title: 'MCP Protocol Implementation Specification (ancplua-mcp)' },
  { ...basics, title: 'Model Context Protocol Implementation (MCP Gateway)' },
  { ...cassini, title: 'Model Context Protocol Specification (Cassini)' },
  { ...toolkit, title: 'MCP Wire Protocol Specification (paiml-mcp-agent-toolkit)' },
  { ...threats, title: 'MCP Protocol Implementation Design (TMKB)' },
]
