import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Mark } from '../parts/icon.tsx'
import { signIn, status } from '../state/session.ts'

/** Asks for the token where the server wants one. */
export function SignIn(): VNode {
  const typed = useSignal('')
  return (
    <main class="center" aria-label="Sign in">
      <form
        class="card"
        onSubmit={event => {
          event.preventDefault()
          signIn(typed.value)
        }}
      >
        <div class="body stack">
          <div class="brand">
            <Mark />
            <h1>Causeway console</h1>
          </div>
          <p class="muted">
            This server requires a token. Make one with <code>causeway token NAME</code>. It is kept in memory only, and
            forgotten when you leave this page.
          </p>
          {status.value === 'refused' && (
            <p class="notice bad" role="alert">
              The server did not accept that token.
            </p>
          )}
          <div class="field">
            <label for="token">Token</label>
            <input
              id="token"
              class="input mono"
              type="password"
              autocomplete="off"
              autofocus
              value={typed.value}
              onInput={event => (typed.value = event.currentTarget.value)}
            />
          </div>
          <div class="row end">
            <button class="button primary" type="submit" disabled={typed.value.trim() === ''}>
              Sign in
            </button>
          </div>
        </div>
      </form>
    </main>
  )
}
