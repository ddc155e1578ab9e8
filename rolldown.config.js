// Everything installed stays outside, but for typebox, see below.
const external = id => !/^[./]/.test(id) && !id.startsWith('typebox')

// Each package becomes one file plus lazily loaded chunks, so that a server starts without hundreds of module loads;
// typebox is bundled because importing it unbundled costs more than the rest of the start-up.
const pack = (name, input) => ({
  input,
  external,
  platform: 'node',
  output: { dir: `packages/${name}/dist`, format: 'esm', chunkFileNames: '[name].js', minify: false },
})

export default [
  pack('engine', { index: 'packages/engine/src/index.ts', http: 'packages/engine/src/http.ts' }),
  pack('packs', {
    basics: 'packages/packs/src/basics/index.ts',
    threats: 'packages/packs/src/threats/index.ts',
  }),
  pack('cli', { main: 'packages/cli/src/main.ts' }),
]
