import { tool, view } from '@causeway/engine'

const page = `<!doctype html>
<meta charset="utf-8">
<body style="font: 40px system-ui; margin: 16px">
<button style="font: inherit">🎲 <span id="face">…</span></button>
<script>
  const send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const show = result => { document.getElementById('face').textContent = result.content[0].text }
  let last = 0
  document.querySelector('button').onclick = () =>
    send({ id: ++last, method: 'tools/call', params: { name: 'roll_again', arguments: {} } })
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return
    if (data.id === 'hello') send({ method: 'ui/notifications/initialized', params: {} })
    else if (data.method === 'ui/notifications/tool-result') show(data.params)
    else if (data.result?.content) show(data.result)
  })
  send({ id: 'hello', method: 'ui/initialize', params: {
    protocolVersion: '2026-01-26', appInfo: { name: 'dice', version: '1.0.0' }, appCapabilities: {} } })
  send({ method: 'ui/notifications/size-changed', params: { height: 100 } })
</script>`

const roll = () => String(1 + Math.floor(Math.random() * 6))

export const dice = view({ uri: 'ui://dice/main.html', name: 'dice', prefersBorder: true }, page)
export const rollDice = tool({ name: 'roll_dice', description: 'Rolls a die', readOnly: true, view: dice }, roll)
export const rollAgain = tool({ name: 'roll_again', readOnly: true, visibility: ['app'] }, roll)
