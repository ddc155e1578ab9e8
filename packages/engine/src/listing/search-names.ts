/** Finds tools by what they do. */
export const FIND_TOOLS = 'find_tools'
/** Shows the definition of one tool. */
export const DESCRIBE_TOOL = 'describe_tool'
/** Calls any tool by its name. */
export const CALL_TOOL = 'call_tool'

/** The tools that search adds. */
export const SEARCH_TOOLS: ReadonlySet<string> = new Set([FIND_TOOLS, DESCRIBE_TOOL, CALL_TOOL])
