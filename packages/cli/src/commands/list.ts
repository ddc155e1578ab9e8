import { isGiven } from '../args.ts'
import type { Args } from '../args.ts'
import { assembly, logOf } from '../assemble.ts'
import { readConfig } from '../config.ts'
import { surviveRejections } from '../stray-rejections.ts'
import { print, table } from '../print.ts'
import { listedTools } from '../tool-named.ts'

/** Show the tools that would be served, as a table or as `tools/list` has them. */
export async function list(args: Args): Promise<number> {
  const config = readConfig(args)
  surviveRejections(logOf(config), config.toolsDirs)
  const { server, gateway } = await assembly(config)
  await gateway?.loaded()
  const tools = await listedTools(server)
  await gateway?.close()
  if (isGiven(args, 'json')) await print(JSON.stringify(tools, null, 2))
  else await print(table(tools.map(({ name, description = '' }) => [name, description])))
  return 0
}
