// Attacks on connections that stay open.
import { ANN, BOB } from '../rows.js'

export const scenarios = {
  'MIT-016a': async world => {
    const here = { origin: 'https://chat.example' }
    const talk = (options, messages = ['hello']) => world.socket('/rooms/1', { headers: here, messages, ...options })
    const honest = await talk({ user: ANN })
    const [stranger, nobody] = [await talk({ user: BOB }), await talk({})]
    const elsewhere = await talk({ user: ANN, headers: { origin: 'https://evil.example' } })
    const removed = await talk({ user: ANN }, ['one', { sql: 'DELETE FROM memberships WHERE id = 1' }, 'two'])
    return {
      attack: [stranger, nobody, elsewhere].some(({ sent }) => sent.length > 0) || removed.sent.includes('two'),
      use: honest.sent.includes('hello') && removed.sent.includes('one'),
    }
  },
}
