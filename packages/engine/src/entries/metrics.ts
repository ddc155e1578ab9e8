export { metrics } from '../metrics/metrics.ts'
export type { Metrics } from '../metrics/metrics.ts'
export { metricsRoute, metricsText, sumOfMetrics } from '../metrics/prometheus.ts'
export type { MetricsSnapshot, WorkerCounts } from '../metrics/prometheus.ts'
