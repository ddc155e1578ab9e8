export type {
  Ask,
  Awaitable,
  ByteSink,
  ByteStream,
  Call,
  Caller,
  ClientNotification,
  Handle,
  Icon,
  Implementation,
  Link,
  LogLevel,
  Method,
  Policy,
  Revision,
  Session,
  SessionRecord,
  StreamDirection,
  StreamInfo,
  StreamSummary,
  TaskReport,
  View,
} from './call.ts'
export type { Principal } from './auth/principal.ts'
export { text } from './define/content.ts'
export type {
  Annotations,
  AudioContent,
  Content,
  EmbeddedResource,
  ImageContent,
  PromptMessage,
  ResourceContents,
  ResourceLink,
  SampleParams,
  SampleResult,
  TextContent,
  ToolResult,
} from './define/content.ts'
export { Context } from './define/context.ts'
export type { Elicited, Root } from './define/context.ts'
export type { Mount } from './catalog/catalog.ts'
export type { CacheHint, Entry, Info, Shelf, TemplateEntry, ToolEntry } from './catalog/shelf.ts'
export type { MountOptions, Source, SourceExtensions } from './catalog/source.ts'
export type { ExtensionNotification } from './catalog/changes.ts'
export { topicOf } from './methods/extensions.ts'
export type { Extension, Topic } from './methods/extensions.ts'
export { declaresExtension } from './protocol/envelope.ts'
export { view } from './define/view.ts'
export type { ViewCsp, ViewPermission, ViewSpec } from './define/view.ts'
export { APPS, APPS_CAPABILITY, VIEW_TYPE, showsViews } from './protocol/apps.ts'
export { prompt, resource, streamTool, template, tool } from './define/define.ts'
export type {
  AppView,
  CacheOptions,
  Completer,
  DuplexSummary,
  Feature,
  Pack,
  Prompt,
  PromptArgument,
  Reading,
  AnyToolOutput,
  Resource,
  Script,
  StreamReply,
  StreamToolSpec,
  TaskSupport,
  Template,
  Tool,
  ToolInput,
  ToolOutput,
  ToolSpec,
  Variables,
} from './define/define.ts'
export { SPEC_DIALECT } from './errors/dialect.ts'
export type { Dialect, Spelling } from './errors/dialect.ts'
export { estimateTokens } from './results/estimate-tokens.ts'
export { RESULT_META } from './results/meta-keys.ts'
export { Cancellation } from './jsonrpc/cancellation.ts'
export { RpcError, fault } from './jsonrpc/errors.ts'
export type { Kind } from './jsonrpc/errors.ts'
export type { Id, Message, Params, Response, Result } from './jsonrpc/message.ts'
export { SEARCH_TOOLS } from './listing/search-names.ts'
export { HELPER_TOOLS } from './listing/helper-tools.ts'
export { SEARCH_THRESHOLD } from './listing/options.ts'
export type { ListingOptions, SearchMode } from './listing/options.ts'
export { LEVELS, jsonLog, textLog } from './log/log.ts'
export type { Level, Log } from './log/log.ts'
export { TASKS_EXTENSION } from './protocol/tasks/kinds.ts'
export type { Asking } from './protocol/asks.ts'
export { FOR_META, TOOLSET_META } from './protocol/keys.ts'
export { versions } from './protocol/revisions.ts'
export { didYouMean, nearest } from './schema/nearest.ts'
export type { Problem } from './schema/problems.ts'
export type { Repair } from './schema/repair.ts'
export type { In, JsonSchema, Out, Schema, StandardSchema } from './schema/schema.ts'
export { SKILLS } from './skills/skill.ts'
export type { Skill, SkillFile } from './skills/skill.ts'
export { Server, createServer } from './server.ts'
export type { ServerOptions } from './server-options.ts'
export { serveStdio } from './transports/stdio/stdio.ts'
export type { StdioOptions } from './transports/stdio/stdio.ts'
export { uriTemplate } from './methods/uri-template.ts'
export type { UriTemplate } from './methods/uri-template.ts'
