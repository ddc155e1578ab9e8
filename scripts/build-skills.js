// Puts the skills that come with the packs beside the build.
import { cp, rm } from 'node:fs/promises'

const to = new URL('../packages/packs/dist/own-skills/', import.meta.url)
await rm(to, { recursive: true, force: true })
await cp(new URL('../packages/packs/src/skills/own-skills/', import.meta.url), to, { recursive: true })
