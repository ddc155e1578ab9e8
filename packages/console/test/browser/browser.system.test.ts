/** All tests in a browser, one after the other in one file, so that they share one browser. */
import { afterAll } from 'vitest'
import { closeSharedBrowser } from './browser.ts'
import './operator.ts'
import './safety.ts'
import './tools.ts'

afterAll(closeSharedBrowser)
