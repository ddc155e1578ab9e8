import { serveJobs } from '../support/thread.ts'
import { JOBS } from './jobs.ts'

serveJobs(JOBS)
