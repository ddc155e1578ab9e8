#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// From Node 22.1 on, compiled code is kept beside the code itself: whoever can write there can change the code as well.
module.enableCompileCache?.(fileURLToPath(new URL('../.compiled', import.meta.url)))
const { mainAndEnd } = await import('../dist/main.js')

await mainAndEnd(process.argv.slice(2))
