const script = document.currentScript
const { up, version } = script.dataset
const byId = id => document.getElementById(id)

// Light or dark: what the system says, until someone chooses.
byId('theme').addEventListener('click', () => {
  const root = document.documentElement
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme = isDark ? 'light' : 'dark'
  try {
    localStorage.setItem('theme', root.dataset.theme)
  } catch {}
})

byId('menu').addEventListener('click', event => {
  const isOpen = document.body.classList.toggle('menu-open')
  event.currentTarget.setAttribute('aria-expanded', String(isOpen))
})

const versions = byId('versions')
versions.replaceChildren(
  ...(window.siteVersions ?? [version]).map(name => new Option(name, name, name === version, name === version)),
)
versions.addEventListener('change', () => {
  location.href = `${up}/../${versions.value}/index.html`
})

for (const button of document.querySelectorAll('.copy')) {
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.nextElementSibling.textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  })
}

// The index is loaded with the first search, as a script, so that it works from files, too.
const input = byId('search')
const results = byId('results')
let loading
const load = () =>
  (loading ??= new Promise((resolve, reject) => {
    const tag = document.createElement('script')
    tag.src = `${up}/search-index.js`
    tag.addEventListener('load', () => resolve(window.searchIndex))
    tag.addEventListener('error', reject)
    document.head.append(tag)
  }))

function score([title, heading, , text], words) {
  const places = [
    [heading.toLowerCase(), 10],
    [title.toLowerCase(), 6],
    [text.toLowerCase(), 1],
  ]
  let sum = 0
  for (const word of words) {
    const found = places.reduce((all, [where, weight]) => all + (where.includes(word) ? weight : 0), 0)
    if (found === 0) return 0
    sum += found
  }
  return sum
}

function excerpt(text, [word]) {
  const found = text.toLowerCase().indexOf(word)
  const at = found < 40 ? 0 : text.indexOf(' ', found - 40) + 1
  return text.slice(at, at + 140)
}

function show(found, words) {
  const items = found.map(([title, heading, path, text]) => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = `${up}/${path}`
    const name = document.createElement('b')
    name.textContent = heading === title ? title : `${title}: ${heading}`
    link.append(name, excerpt(text, words))
    item.setAttribute('role', 'option')
    item.append(link)
    return item
  })
  if (items.length === 0) {
    const none = document.createElement('li')
    none.textContent = 'Nothing found'
    items.push(none)
  }
  results.replaceChildren(...items)
  results.hidden = false
  input.setAttribute('aria-expanded', 'true')
}

function close() {
  results.hidden = true
  input.setAttribute('aria-expanded', 'false')
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return close()
  const scored = (await load()).map(entry => [score(entry, words), entry]).filter(([points]) => points > 0)
  scored.sort(([one], [other]) => other - one)
  show(
    scored.slice(0, 12).map(([, entry]) => entry),
    words,
  )
}
input.addEventListener('input', () => void search())
input.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') close()
  if (key === 'Enter' || key === 'ArrowDown') results.querySelector('a')?.[key === 'Enter' ? 'click' : 'focus']()
})
results.addEventListener('keydown', event => {
  const item = event.target.closest('li')
  const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[event.key]
  if (event.key === 'Escape') close()
  if (!next) return
  event.preventDefault()
  next.querySelector('a')?.focus()
})
document.addEventListener('keydown', event => {
  if (event.key !== '/' || /INPUT|TEXTAREA|SELECT/.test(document.activeElement?.tagName ?? '')) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) close()
})
