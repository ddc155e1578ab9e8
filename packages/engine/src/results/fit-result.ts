import { after, all as together } from '../awaitable.ts'
import type { Awaitable, Call } from '../call.ts'
import { isContent, text } from '../define/content.ts'
import type { Content, EmbeddedResource, ResourceLink, TextContent } from '../define/content.ts'
import { writerOf, writerOfError } from './data-writers.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { READ_RESULT, RESULT_META } from './meta-keys.ts'
import { cutStructured, jsonSize } from './cut-structured.ts'
import type { Cut, Extent } from './cut-structured.ts'
import { excerptOf, excerptRanges } from './excerpt.ts'
import type { Range } from './excerpt.ts'
import { asOwn, ownWords } from '../untrusted/server-text.ts'
import { resultUri } from './result-uri.ts'
import type { Whole } from './result-store.ts'

/** What results have to fit into, and what helps them to. */
export interface Fitting {
  readonly tokens: number
  /** Characters of a range that is read on. */
  readonly rangeLimit: number
  readonly keptMinutes: number
  /** Keeps the whole; its id, if there is room for it. */
  keep(call: Call, whole: Whole): Awaitable<string | undefined>
  /** Does the output schema of the tool that was called accept it? */
  isValid(call: Call, structured: unknown): Awaitable<boolean>
}

/** One thing that was cut: its note, in words and in `_meta`. */
interface CutNote {
  readonly words: string
  readonly link: ResourceLink | undefined
  readonly meta: Readonly<Record<string, unknown>>
}

// Room for the notes, and for what the estimate is wrong by.
const SHARE = 0.9
const QUERIES = ['query', 'pattern', 'regex', 'regexp', 'search', 'grep', 'q', 'keyword', 'symbol', 'test']
const MOST_RANGES_TOLD = 30
const MOST_CUTS_TOLD = 20
// Of more texts than this, those that are too long become one, so that there are few excerpts to tell of.
const MOST_TEXTS = 20
// A structured result that cannot be cut is passed on up to so many characters, or times its room.
const MOST_UNCUT = 256 * 1024
const MOST_OVER = 4
// No text has more characters than that for each token but one of blanks.
const MOST_PER_TOKEN = 16

/** Tokens of a text, counted until they are too many. */
export const tokensUpTo = (words: string, most: number): number =>
  words.length <= most ? words.length : estimateTokens(words.slice(0, most * MOST_PER_TOKEN))

/** The result in so many tokens, with a note on what is missing; as it is if it fits. */
export function fitResult(call: Call, result: Result, fitting: Fitting): Awaitable<Result> {
  const { structuredContent } = result
  if (typeof structuredContent !== 'object' || structuredContent === null) return fitTexts(call, result, fitting)
  const json = JSON.stringify(structuredContent)
  return after(fitStructured(call, result, json, fitting), cutOne => {
    if (!cutOne) return fitTexts(call, result, fitting, json)
    const shorter = JSON.stringify(cutOne.value)
    const content = blocksOf(result).map(block =>
      isText(block) && wordsOf(block) === json ? withWords(block, shorter) : block,
    )
    return fitTexts(
      call,
      withNotes({ ...result, content, structuredContent: cutOne.value }, [cutOne.note]),
      fitting,
      shorter,
    )
  })
}

const blocksOf = ({ content }: Result): readonly Content[] => (Array.isArray(content) ? content.filter(isContent) : [])

type WithText = TextContent | (EmbeddedResource & { readonly resource: { readonly text: string } })

/** Has the block a text: its own, or that of the resource in it? */
const isText = (block: Content): block is WithText =>
  block.type === 'text' ||
  (block.type === 'resource' && typeof (block.resource as { text?: unknown }).text === 'string')
const wordsOf = (block: WithText): string => (block.type === 'text' ? block.text : block.resource.text)
const withWords = (block: WithText, words: string): Content =>
  block.type === 'text' ? { ...block, text: words } : { ...block, resource: { ...block.resource, text: words } }

/** The result with notes on what was cut. */
function withNotes(result: Result, all: readonly CutNote[]): Result {
  const notes = all.map(({ words }) => ownWords(words))
  const links = all.flatMap(({ link }) => (link ? [asOwn(link)] : []))
  const meta = result._meta as Readonly<Record<string, unknown>> | undefined
  const before = (meta?.[RESULT_META.excerpt] ?? []) as readonly unknown[]
  const excerpts = [...before, ...all.map(one => one.meta)]
  return {
    ...result,
    content: [...blocksOf(result), ...notes, ...links],
    _meta: { ...meta, [RESULT_META.excerpt]: excerpts },
  }
}

function fitStructured(
  call: Call,
  result: Result,
  json: string,
  fitting: Fitting,
): Awaitable<{ readonly value: unknown; readonly note: CutNote } | undefined> {
  const tokens = tokensUpTo(json, fitting.tokens)
  if (tokens <= fitting.tokens) return undefined
  const room = (Math.min(json.length, fitting.tokens * MOST_PER_TOKEN) / tokens) * fitting.tokens * SHARE
  const attempt = (extent: Extent): Awaitable<ReturnType<typeof cutStructured> | undefined> => {
    const made = cutStructured(result.structuredContent, room, extent)
    const isFitting = made.cuts.length > 0 && jsonSize(made.value) <= room * (extent === 'lists' ? 1.1 : 2)
    return isFitting ? after(fitting.isValid(call, made.value), isValid => (isValid ? made : undefined)) : undefined
  }
  const texts = (): ReturnType<typeof attempt> => after(attempt('texts'), made => made ?? attempt('members'))
  return after(
    after(attempt('lists'), lists => lists ?? texts()),
    made => {
      if (!made && json.length > Math.max(MOST_UNCUT, MOST_OVER * room)) throw cannotBeCut(fitting.tokens)
      if (!made) return undefined
      const paged = withNext(made.value, made.cuts)
      return after(
        together([
          fitting.keep(call, { text: json, mimeType: 'application/json', writer: writerOf(result, call) }),
          fitting.isValid(call, paged),
        ]),
        ([id, isValid]) => ({
          value: isValid ? paged : made.value,
          note: cutNote(made.cuts, json, id as string | undefined, fitting),
        }),
      )
    },
  )
}

const cannotBeCut = (tokens: number): Error =>
  fault(
    'result-too-large',
    `The structured result is far more than ${tokens} tokens, and cannot be shortened so that it still fits its schema`,
    { limitTokens: tokens },
    { hint: 'Ask for less: narrow the question, or use a limit or an offset if there is one.' },
  )

/** A page whose list was cut goes on with the first item that is missing. */
function withNext(value: unknown, cuts: readonly Cut[]): unknown {
  const [cut, ...more] = cuts
  if (!cut || more.length > 0 || !isObject(value) || !Array.isArray(value[cut.at.slice(1)])) return value
  const { next, total } = value
  // Where the list ended before: the next page's place, or the end of all.
  const end = typeof next === 'number' ? next : typeof total === 'number' ? total : undefined
  if (end === undefined || end < cut.total) return value
  return { ...value, next: end - cut.total + cut.kept, ...('truncated' in value && { truncated: true }) }
}

function cutNote(cuts: readonly Cut[], json: string, id: string | undefined, fitting: Fitting): CutNote {
  const named = cuts.slice(0, MOST_CUTS_TOLD)
  const list = named.map(({ at, kept, total }) => `${at === '' ? 'the list' : at} has ${kept} of ${total}`).join(', ')
  const more = cuts.length > named.length ? `, and ${cuts.length - named.length} more were cut` : ''
  const words = `[This result was cut to fit into ${fitting.tokens} tokens: ${list}${more}.${whereTo(id, { start: 0, end: json.length }, fitting)}]`
  const meta = { ...(id !== undefined && { uri: resultUri(id) }), total: json.length, cuts: named }
  return { words, link: linkTo(id, json.length, 'application/json'), meta }
}

/** The largest texts become excerpts, until all fit; `mirror` is the text of the structured part, cut already. */
function fitTexts(call: Call, result: Result, fitting: Fitting, mirror?: string): Awaitable<Result> {
  const sizesOf = (some: readonly Content[]): number[] =>
    some.map(block => (isText(block) && wordsOf(block) !== mirror ? tokensUpTo(wordsOf(block), fitting.tokens) : 0))
  const all = blocksOf(result)
  const allSizes = sizesOf(all)
  if (sumOf(allSizes) <= fitting.tokens) return result
  const isMany = all.filter(block => isText(block) && wordsOf(block) !== mirror).length > MOST_TEXTS
  const blocks = isMany ? withJoinedTexts(all, mirror) : all
  const sizes = isMany ? sizesOf(blocks) : allSizes
  const writer = writerOf(result, call)
  const share = fairShare(sizes, fitting.tokens)
  const notes: Awaitable<CutNote>[] = []
  const content = blocks.map((block, i) => {
    const tokens = sizes[i] ?? 0
    if (!isText(block) || tokens <= share) return block
    const words = wordsOf(block)
    const room = (Math.min(words.length, fitting.tokens * MOST_PER_TOKEN) / tokens) * share * SHARE
    const ranges = excerptRanges(words, room, queryOf(call))
    notes.push(excerptTold(call, { text: words, mimeType: 'text/plain', writer }, ranges, fitting))
    return withWords(block, excerptOf(words, ranges, gap))
  })
  return after(together(notes), notesMade => withNotes({ ...result, content }, notesMade))
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0)

/** All texts as one, in the place of the first. */
function withJoinedTexts(blocks: readonly Content[], mirror: string | undefined): Content[] {
  const texts = blocks.filter((block): block is WithText => isText(block) && wordsOf(block) !== mirror)
  const joined = text(texts.map(wordsOf).join('\n'))
  return blocks.flatMap(block => {
    if (!isText(block) || wordsOf(block) === mirror) return [block]
    return block === texts[0] ? [joined] : []
  })
}

const gap = ({ start, end }: Range): string =>
  `\n[… ${end - start} characters left out, from offset ${start} to ${end} …]\n`

/** How much each may have, so that what is small stays whole and the large ones get the same. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room
  const sorted = sizes.toSorted((a, b) => a - b)
  for (const [i, size] of sorted.entries()) {
    const share = left / (sorted.length - i)
    if (size > share) return share
    left -= size
  }
  return room
}

function excerptTold(call: Call, whole: Whole, ranges: readonly Range[], fitting: Fitting): Awaitable<CutNote> {
  const total = whole.text.length
  return after(fitting.keep(call, whole), id => {
    const shown = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
    const [first, second] = ranges
    const missing = { start: first?.end ?? 0, end: second?.start ?? total }
    const words =
      `[An excerpt: ${shown} of ${total} characters, to fit into ${fitting.tokens} tokens.` +
      `${whereTo(id, missing, fitting)}]`
    const pairs = ranges.slice(0, MOST_RANGES_TOLD).map(({ start, end }) => [start, end])
    const meta = { ...(id !== undefined && { uri: resultUri(id) }), total, shown: pairs }
    return { words, link: linkTo(id, total, whole.mimeType), meta }
  })
}

/** How to read what is missing, or the beginning of that. */
function whereTo(id: string | undefined, { start, end }: Range, { rangeLimit, keptMinutes }: Fitting): string {
  if (id === undefined) return ' The whole is too large to be kept: ask for less, with a narrower question or a limit.'
  const onward = resultUri(id, { offset: start, limit: Math.min(rangeLimit, end - start) })
  return (
    ` The whole is kept for ${keptMinutes} minutes as the resource ${resultUri(id)}. Read what is missing with ` +
    `${READ_RESULT}, or as a resource: ${onward}.`
  )
}

const linkTo = (id: string | undefined, size: number, mimeType: string): ResourceLink | undefined =>
  id === undefined
    ? undefined
    : { type: 'resource_link', uri: resultUri(id), name: 'result', description: 'The whole result', mimeType, size }

/** What the call looked for, if an argument says so. */
function queryOf({ params }: Call): string | undefined {
  const args = params.arguments as Readonly<Record<string, unknown>> | undefined
  const name = args && QUERIES.find(one => Object.hasOwn(args, one) && typeof args[one] === 'string')
  return name === undefined ? undefined : (args?.[name] as string)
}

/** The message of a failure, in so many tokens. */
export function fitMessage(call: Call, error: Error, fitting: Fitting): Awaitable<string> {
  const { message } = error
  const tokens = tokensUpTo(message, fitting.tokens)
  if (tokens <= fitting.tokens) return message
  const room = (Math.min(message.length, fitting.tokens * MOST_PER_TOKEN) / tokens) * fitting.tokens * SHARE
  const ranges = excerptRanges(message, room, queryOf(call))
  return after(
    excerptTold(call, { text: message, mimeType: 'text/plain', writer: writerOfError(call, error) }, ranges, fitting),
    ({ words }) => `${excerptOf(message, ranges, gap)}\n${words}`,
  )
}
