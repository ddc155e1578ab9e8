#!/usr/bin/env node
import { mainAndEnd } from '../dist/main.js'

await mainAndEnd(process.argv.slice(2))
