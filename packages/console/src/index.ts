export { OperatorFeed } from './operator-feed.ts'
export type { FeedOptions, ServedGroup } from './operator-feed.ts'
export type { CallRecord, FeedHello, LogRecord, Sample, ServerFacts, UpstreamRecord } from './operator-records.ts'
export { consoleRoutes } from './routes.ts'
