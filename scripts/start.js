const command = new URL('../packages/cli/bin/causeway.js', import.meta.url).pathname
process.stdout.write(
  `Connect an MCP client over stdio with {"mcpServers":{"causeway":{"command":"node","args":["${command}","--stdio"]}}}\n`,
)
