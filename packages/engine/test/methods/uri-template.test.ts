import { uriTemplate } from '@causeway/engine'
import { describe, expect, test } from 'vitest'

/** The variables of RFC 6570, sections 1.2 and 3.2. */
const VALUES = {
  var: 'value',
  hello: 'Hello World!',
  half: '50%',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  v: '6',
  who: 'fred',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: [],
  undef: undefined,
}

/** Every example of sections 1.2 and 3.2: template, expansion. */
const EXAMPLES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'level 1': [
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
  ],
  'level 2': [
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['X{#var}', 'X#value'],
    ['X{#hello}', 'X#Hello%20World!'],
  ],
  'level 3': [
    ['map?{x,y}', 'map?1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['X{.var}', 'X.value'],
    ['X{.x,y}', 'X.1024.768'],
    ['{/var}', '/value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
  ],
  'level 4': [
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+list}', 'red,green,blue'],
    ['{+list*}', 'red,green,blue'],
    ['{+keys}', 'semi,;,dot,.,comma,,'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    ['{#path:6}/here', '#/foo/b/here'],
    ['{#list}', '#red,green,blue'],
    ['{#list*}', '#red,green,blue'],
    ['{#keys}', '#semi,;,dot,.,comma,,'],
    ['{#keys*}', '#semi=;,dot=.,comma=,'],
    ['X{.var:3}', 'X.val'],
    ['X{.list}', 'X.red,green,blue'],
    ['X{.list*}', 'X.red.green.blue'],
    ['X{.keys}', 'X.semi,%3B,dot,.,comma,%2C'],
    ['X{.keys*}', 'X.semi=%3B.dot=..comma=%2C'],
    ['{/var:1,var}', '/v/value'],
    ['{/list}', '/red,green,blue'],
    ['{/list*}', '/red/green/blue'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/keys}', '/semi,%3B,dot,.,comma,%2C'],
    ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;list}', ';list=red,green,blue'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{;keys}', ';keys=semi,%3B,dot,.,comma,%2C'],
    ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
    ['{?var:3}', '?var=val'],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{?keys}', '?keys=semi,%3B,dot,.,comma,%2C'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    ['{&var:3}', '&var=val'],
    ['{&list}', '&list=red,green,blue'],
    ['{&list*}', '&list=red&list=green&list=blue'],
    ['{&keys}', '&keys=semi,%3B,dot,.,comma,%2C'],
    ['{&keys*}', '&semi=%3B&dot=.&comma=%2C'],
  ],
  'section 3.2': [
    ['{count}', 'one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,empty}', '1024,'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['O{+undef}X', 'OX'],
    ['up{+path}{var}/here', 'up/foo/barvalue/here'],
    ['{#half}', '#50%25'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{.who,who}', '.fred.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.empty_keys}', 'X'],
    ['X{.empty_keys*}', 'X'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
  ],
}

describe.each(Object.entries(EXAMPLES))('[S-RES-04] RFC 6570 %s', (_, examples) => {
  test.each(examples)('%s → %s', (template, expanded) => {
    expect(uriTemplate(template).expand(VALUES)).toBe(expanded)
  })
})

test('what is already encoded stays so only where reserved characters do', () => {
  expect(uriTemplate('{+a}').expand({ a: 'x%20y%zz' })).toBe('x%20y%25zz')
  expect(uriTemplate('{a}').expand({ a: 'x%20y' })).toBe('x%2520y')
})

test('a prefix counts characters, not units or bytes', () => {
  expect(uriTemplate('{a:2}').expand({ a: '😀é!' })).toBe('%F0%9F%98%80%C3%A9')
})

/** Template, values: what is filled in is read back. */
const ROUND_TRIPS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['plan://{year}/{name}', { year: '2026', name: 'café & more/less?' }],
  ['file:///{+path}', { path: 'a/b/c.txt' }],
  ['x://find{?q,lang}', { q: 'a&b=c', lang: 'de' }],
  ['x://find{?q,lang}', { lang: 'de' }],
  ['x://find{?q,lang}', { q: '' }],
  ['x://find{?q,lang}', {}],
  ['x://find?fixed=1{&q,lang}', { lang: 'de' }],
  ['x://a{/b,c}', { b: '1', c: '2' }],
  ['x://a{/b,c}', { b: '1' }],
  ['x://host{.ext}', { ext: 'json' }],
  ['x://a{;v,w}', { v: '1', w: 'b;c' }],
  ['x://a{;v,w}', { w: 'c' }],
  ['x://a{#frag}', { frag: 'sec/1?x' }],
  ['x://{a},{b}', { a: '1', b: '2' }],
  ['x://{a.b}/{c_d}', { 'a.b': '1', c_d: '2' }],
]

test.each(ROUND_TRIPS)('[S-RES-04] %s reads back %o', (source, values) => {
  const template = uriTemplate(source)
  expect(template.match(template.expand(values))).toEqual(values)
})

test('what does not follow the template is not matched', () => {
  const template = uriTemplate('plan://{year}/{name}')
  for (const uri of [
    'plan://2026',
    'plan://2026/',
    'plan:///x',
    'plan://2026/a/b',
    'xplan://2026/a',
    'plan://2026/a?b',
    '',
  ]) {
    expect(template.match(uri), uri).toBeUndefined()
  }
  expect(template.match('plan://2026/%zz')).toBeUndefined()
  expect(uriTemplate('a.c').match('abc')).toBeUndefined()
})

test('a list read back is what stood there', () => {
  expect(uriTemplate('x://{list*}').match('x://red,green')).toEqual({ list: 'red,green' })
  expect(uriTemplate('x:{/path*}').match('x:/a/b/c')).toEqual({ path: 'a/b/c' })
  expect(uriTemplate('x://a{?tag*}').match('x://a?tag=1')).toEqual({ tag: '1' })
})

test.each(['x://{list*}', 'x://{+list*}', 'x://a{#list*}', 'x://a{/list*}', 'x://a{;list*}', 'x://a{?list*}'])(
  'a hostile URI does not make %s slow',
  source => {
    const template = uriTemplate(source)
    const started = process.cpuUsage()
    for (const piece of [',', '/', ';list=', '&list=', 'a,', ',list=']) {
      template.match(`x://${piece.repeat(2000)} `)
      template.match(`x://a${piece.repeat(2000)} `)
      template.match(`x://a?list=${piece.repeat(2000)} `)
    }
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
  },
)

test('names that an object has by nature are ordinary variables', () => {
  const template = uriTemplate('x://{constructor}/{__proto__}')
  expect(template.expand({})).toBe('x:///')
  const found = template.match('x://a/b')
  expect(found && Object.entries(found)).toEqual([
    ['constructor', 'a'],
    ['__proto__', 'b'],
  ])
})

test.each(['{', '}', '{}', '{a', 'a}', '{a b}', '{!a}', '{a:0}', '{a:10000}', '{a**}', '{a,}', '{{a}}', '{a..b'])(
  'the malformed template %s is refused',
  source => {
    expect(() => uriTemplate(source)).toThrow(/^URI template '/)
  },
)

test('variables are named once, in order', () => {
  expect(uriTemplate('x://{b}/{a}{?b,c}').variables).toEqual(['b', 'a', 'c'])
})

describe('a template that can be read in many ways', () => {
  // What cannot be there stands in the middle, so that no end tells it.
  const NOT = '!{z}'
  test.each([
    ['variables side by side', `evil://${'{+a}'.repeat(30)}${NOT}`, `evil://${'a'.repeat(5000)}`],
    ['the same text between', `evil://${'a{+x}'.repeat(30)}${NOT}`, `evil://${'a'.repeat(5000)}`],
    ['simple ones', `evil://${'{a}'.repeat(100)}${NOT}`, `evil://${'a'.repeat(5000)}`],
    ['lists', `evil://${'{;a*}'.repeat(6)}${NOT}`, `evil://${';a=a'.repeat(2000)}`],
    ['names', `evil://${'{?a}'.repeat(50)}${NOT}`, `evil://${'?a'.repeat(40)}`],
  ])('of %s does not take forever', (_, template, uri) => {
    expect(uriTemplate(template).match(uri)).toBeUndefined()
  })

  test('is still read if the URI is a usual one', () => {
    expect(uriTemplate('git://{+path}/at/{+rev}/{+more}').match('git://a/b/at/c/d/at/e/f')).toEqual({
      path: 'a/b/at/c/d',
      rev: 'e',
      more: 'f',
    })
    expect(uriTemplate('file:///{+path}').match(`file:///${'x/'.repeat(20_000)}`)).toEqual({
      path: 'x/'.repeat(20_000),
    })
  })

  test('with parts without end is refused when it is made, and a long one matches what it should', () => {
    expect(() => uriTemplate(`evil://${'{a}'.repeat(3000)}`)).toThrow('more than 200 parts')
    expect(uriTemplate(`x://${'y'.repeat(200_000)}{a}`).match('x://y')).toBeUndefined()
  })
})
