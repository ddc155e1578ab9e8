import { serveJobs } from '../../support/threads/thread.ts'
import { JOBS } from './jobs.ts'

serveJobs(JOBS)
