import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { roots } from '../state/asks.ts'
import type { OpenAsk } from '../state/asks.ts'
import { Dialog } from './dialog.tsx'

/** Which folders a tool learns of; earlier input is kept. */
export function RootsAsk({ open }: { readonly open: OpenAsk }): VNode {
  const typed = useSignal(roots.value)
  const share = (): void => {
    roots.value = typed.value
    const uris = typed.value.split('\n').flatMap(line => (line.trim() === '' ? [] : [asUri(line.trim())]))
    open.reply({ roots: uris.map(uri => ({ uri })) })
  }
  return (
    <Dialog
      title={`${open.from} asks for your folders`}
      dismiss={() => open.refuse('The person declined')}
      submit={share}
    >
      <p>It gets these names only, one folder per line. Leave it empty to share none.</p>
      <div class="field">
        <label for="roots">Folders</label>
        <textarea
          id="roots"
          class="input"
          rows={3}
          placeholder="/home/me/project"
          value={typed.value}
          onInput={event => (typed.value = event.currentTarget.value)}
        />
      </div>
      <div class="row end">
        <button type="button" class="button" onClick={() => open.refuse('The person declined')}>
          Decline
        </button>
        <button type="submit" class="button primary">
          Share
        </button>
      </div>
    </Dialog>
  )
}

const asUri = (line: string): string =>
  /^[a-z][\w+.-]*:/i.test(line) ? line : `file://${line.startsWith('/') ? '' : '/'}${encodeURI(line)}`
