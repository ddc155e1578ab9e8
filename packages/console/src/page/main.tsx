import { render } from 'preact'
import { App } from './app.tsx'
import { startSession } from './state/session.ts'
import { startTheme } from './state/theme.ts'

startTheme()
const root = document.querySelector('#app')
if (root) render(<App />, root)
void startSession()
