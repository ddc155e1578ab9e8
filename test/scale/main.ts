import { runFaults } from './run-faults.ts'

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}

const seconds = option('seconds', 60)
const seed = option('seed', Math.floor(Math.random() * 2 ** 32))
console.log(`Faults for ${seconds} s, seed ${seed}`)
const { faults, tally, violations } = await runFaults(seconds, seed, line => console.log(`  ${line}`))
console.log(`${faults} faults; ${JSON.stringify(tally)}`)
for (const violation of violations) console.log(`BROKEN: ${violation}`)
console.log(violations.length === 0 ? 'Every promise was kept.' : `${violations.length} promises were broken.`)
process.exit(violations.length === 0 ? 0 : 1)
