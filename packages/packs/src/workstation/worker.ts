import { serveJobs } from '../support/threads/thread.ts'
import { JOBS } from './thread-jobs.ts'

serveJobs(JOBS)
