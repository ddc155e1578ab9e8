#!/usr/bin/env node
// npm create causeway NAME is causeway new NAME.
process.argv.splice(2, 0, 'new')
await import('causeway-mcp/bin/causeway.js')
