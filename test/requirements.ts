/** One rule of the protocol that the code must keep. */
export interface Requirement {
  /** What tests cite in their titles, as `[S-RPC-01]`. */
  readonly id: string
  readonly rule: string
  /** Where the specification says so. */
  readonly link: string
}

const SPEC = 'https://modelcontextprotocol.io/specification'
const NEWEST = `${SPEC}/2026-07-28`
const STATEFUL = `${SPEC}/2025-11-25`

const requirement = (id: string, rule: string, link: string): Requirement => ({ id, rule, link })

const messages: readonly Requirement[] = [
  requirement('S-RPC-01', 'Messages say jsonrpc 2.0; an answer has a result or an error, not both.', `${NEWEST}/basic`),
  requirement(
    'S-RPC-02',
    'Ids are strings or integers, 0 and "" among them, and come back with their type.',
    `${STATEFUL}/basic`,
  ),
  requirement(
    'S-RPC-03',
    'Ids of our own requests differ from each other for the life of a session.',
    `${SPEC}/2024-11-05/basic/messages`,
  ),
  requirement(
    'S-RPC-04',
    'Notifications and answers are never answered, not even with an error.',
    `${SPEC}/2024-11-05/basic/messages`,
  ),
  requirement(
    'S-RPC-05',
    'An error to an unreadable id carries null until 2025-06-18, and no id after.',
    `${STATEFUL}/schema`,
  ),
  requirement('S-RPC-06', '2025-03-26 takes batches of anything but initialize.', `${SPEC}/2025-03-26/basic`),
  requirement(
    'S-RPC-07',
    'Batches exist until 2025-03-26; later revisions refuse any array.',
    `${SPEC}/2025-06-18/changelog`,
  ),
  requirement(
    'S-RPC-08',
    'An empty batch gets one error, each invalid member its own.',
    'https://www.jsonrpc.org/specification',
  ),
  requirement(
    'S-RPC-09',
    'A batch is answered by one array of answers, or by nothing.',
    'https://www.jsonrpc.org/specification',
  ),
  requirement(
    'S-RPC-10',
    'Unknown methods, malformed params, requests and texts have their standard codes.',
    `${NEWEST}/basic`,
  ),
  requirement('S-RPC-11', 'Unknown members are ignored and not echoed.', `${NEWEST}/basic`),
  requirement(
    'S-RPC-12',
    'Results of the newest revision have a type; older ones get none of its members.',
    `${NEWEST}/basic`,
  ),
]

const lifecycle: readonly Requirement[] = [
  requirement(
    'S-LIFE-01',
    'initialize answers the version asked for, or the newest it has.',
    `${STATEFUL}/basic/lifecycle`,
  ),
  requirement('S-LIFE-02', 'A handshake never ends in a stateless revision.', `${NEWEST}/basic/versioning`),
  requirement(
    'S-LIFE-03',
    'Before the handshake is complete pings are answered and the rest is served or refused, never left.',
    `${STATEFUL}/basic/lifecycle`,
  ),
  requirement(
    'S-LIFE-04',
    'Both sides keep to the version and the capabilities they agreed on.',
    `${SPEC}/2025-06-18/basic/lifecycle`,
  ),
  requirement(
    'S-LIFE-05',
    'Nothing unasked is sent before the client says it is initialized.',
    `${STATEFUL}/basic/lifecycle`,
  ),
  requirement('S-LIFE-06', 'initialize cannot be cancelled.', `${STATEFUL}/basic/utilities/cancellation`),
  requirement(
    'S-LIFE-07',
    'A handshake that cannot be understood is an error of its params.',
    `${STATEFUL}/basic/lifecycle`,
  ),
  requirement(
    'S-LIFE-08',
    'Questions to the client end after a time, and are then withdrawn.',
    `${STATEFUL}/basic/lifecycle`,
  ),
  requirement('S-LIFE-09', 'A stateless request is judged by what it says of itself alone.', `${NEWEST}/basic`),
  requirement(
    'S-LIFE-10',
    'An envelope without version or capabilities is refused; who the client is may be left out.',
    `${NEWEST}/basic`,
  ),
  requirement(
    'S-LIFE-11',
    'An unsupported version is refused with those that are supported.',
    `${NEWEST}/basic/versioning`,
  ),
  requirement(
    'S-LIFE-12',
    'What needs a capability the client did not declare is refused with its name.',
    `${NEWEST}/basic`,
  ),
  requirement('S-LIFE-13', 'Who the other side says it is decides nothing.', `${NEWEST}/basic`),
  requirement('S-LIFE-15', 'A second initialize is refused.', `${STATEFUL}/basic/lifecycle`),
  requirement('S-DISC-01', 'server/discover says what there is, and what it says works.', `${NEWEST}/server/discover`),
  requirement(
    'S-DISC-02',
    'server/discover is a request like any other, and may be kept.',
    `${NEWEST}/server/discover`,
  ),
  requirement('S-ERR-01', 'The standard codes mean what they mean.', `${NEWEST}/basic`),
  requirement('S-ERR-02', 'Of the reserved codes only those the specification names are used.', `${NEWEST}/basic`),
  requirement('S-ERR-03', 'Codes of older revisions do not reach the newest.', `${NEWEST}/server/resources`),
  requirement('S-PING-01', 'A ping is answered at once with nothing, at any time.', `${STATEFUL}/basic/utilities/ping`),
]

const pipes: readonly Requirement[] = [
  requirement('S-STD-01', 'One message a line, without newlines inside.', `${NEWEST}/basic/transports/stdio`),
  requirement('S-STD-02', 'Standard output carries messages and nothing else.', `${NEWEST}/basic/transports/stdio`),
  requirement(
    'S-STD-03',
    'The end of the input ends the service, after what is in flight.',
    `${NEWEST}/basic/transports/stdio`,
  ),
  requirement(
    'S-STD-04',
    'In the stateless era the server puts no request on the pipe.',
    `${NEWEST}/basic/transports/stdio`,
  ),
  requirement('S-STD-05', 'A server of both eras answers a handshake after a probe.', `${NEWEST}/basic/versioning`),
  requirement(
    'S-STD-06',
    'A line that cannot be parsed is answered, and the next one read.',
    'https://www.jsonrpc.org/specification',
  ),
  requirement(
    'S-STD-07',
    'Subscriptions share a pipe and are told apart by their id.',
    `${NEWEST}/basic/patterns/subscriptions`,
  ),
]

const utilities: readonly Requirement[] = [
  requirement(
    'S-CAN-01',
    'A cancelled request stops and is not answered; what names nothing is ignored.',
    `${STATEFUL}/basic/utilities/cancellation`,
  ),
  requirement(
    'S-CAN-03',
    'In the stateless era the server cancels nothing of its own.',
    `${NEWEST}/basic/patterns/cancellation`,
  ),
  requirement(
    'S-CAN-04',
    'Only requests of the same connection can be cancelled.',
    `${NEWEST}/basic/patterns/cancellation`,
  ),
  requirement(
    'S-PRG-01',
    'Progress goes to tokens of running requests and always rises.',
    `${STATEFUL}/basic/utilities/progress`,
  ),
  requirement('S-PRG-02', 'Progress ends with the answer.', `${STATEFUL}/basic/utilities/progress`),
  requirement(
    'S-LOG-01',
    'A session hears log messages from the level it set, of a server that declares them.',
    `${STATEFUL}/server/utilities/logging`,
  ),
  requirement(
    'S-LOG-02',
    'A stateless request hears log messages only if it names a level.',
    `${NEWEST}/server/utilities/logging`,
  ),
  requirement('S-LOG-03', 'Logs hold no secrets and answers no internals.', `${NEWEST}/server/utilities/logging`),
  requirement(
    'S-PAG-01',
    'Lists come in pages under opaque cursors; an invalid one is refused.',
    `${STATEFUL}/server/utilities/pagination`,
  ),
  requirement(
    'S-CMP-01',
    'Completion proposes at most a hundred values and refuses unknown references.',
    `${STATEFUL}/server/utilities/completion`,
  ),
  requirement(
    'S-CCH-01',
    'Six results of the newest revision say how long they may be kept.',
    `${NEWEST}/server/utilities/caching`,
  ),
  requirement('S-CCH-02', 'Only what is the same for everybody may be shared.', `${NEWEST}/server/utilities/caching`),
  requirement('S-CCH-03', 'Older clients see nothing of caching.', `${NEWEST}/server/utilities/caching`),
  requirement('S-META-01', 'Unknown members of _meta reach the handler as they are.', `${NEWEST}/basic`),
  requirement('S-META-02', 'Trace context reaches the handler, unless it is malformed.', `${NEWEST}/basic`),
  requirement('S-META-03', 'The envelope is not shown to handlers.', `${NEWEST}/basic`),
]

const features: readonly Requirement[] = [
  requirement(
    'S-TOOL-01',
    'Tools are declared, listed in pages, and changes of the list told.',
    `${STATEFUL}/server/tools`,
  ),
  requirement('S-TOOL-02', 'An unknown tool is an error of the params.', `${STATEFUL}/server/tools`),
  requirement('S-TOOL-03', 'A tool that failed is a result that says so.', `${STATEFUL}/server/tools`),
  requirement(
    'S-TOOL-04',
    'Arguments that do not fit are a result; a malformed request is an error.',
    `${STATEFUL}/server/tools`,
  ),
  requirement('S-TOOL-05', 'Missing arguments are empty ones.', `${STATEFUL}/server/tools`),
  requirement(
    'S-TOOL-06',
    'With an output schema the result is structured, fits it, and is given as text too.',
    `${STATEFUL}/server/tools`,
  ),
  requirement(
    'S-TOOL-07',
    'Structured results that are no objects are wrapped for older clients.',
    `${NEWEST}/server/tools`,
  ),
  requirement(
    'S-TOOL-08',
    'What a revision does not know of tools and content it is not shown.',
    `${NEWEST}/server/tools`,
  ),
  requirement(
    'S-TOOL-09',
    'Any keyword of JSON Schema 2020-12 is listed as written; nothing is fetched.',
    `${NEWEST}/server/tools`,
  ),
  requirement('S-TOOL-10', 'Inputs are validated.', `${STATEFUL}/server/tools`),
  requirement('S-TOOL-11', 'Annotations are hints, icons are links with sizes.', `${STATEFUL}/basic`),
  requirement('S-TOOL-12', 'A tool without parameters has the schema of an object.', `${STATEFUL}/server/tools`),
  requirement('S-RES-01', 'What is there is read as contents, never as an empty list.', `${NEWEST}/server/resources`),
  requirement(
    'S-RES-02',
    'What is not there is refused with its URI, in the code of the revision.',
    `${NEWEST}/server/resources`,
  ),
  requirement('S-RES-03', 'A subscribed resource is told of until it is unsubscribed.', `${STATEFUL}/server/resources`),
  requirement('S-RES-04', 'Templates follow RFC 6570, bytes are base64.', `${STATEFUL}/server/resources`),
  requirement('S-RES-05', 'Templates are listed apart from resources.', `${STATEFUL}/server/resources`),
  requirement(
    'S-PRM-01',
    'Prompts are declared; a wrong name or a missing argument is an error of the params.',
    `${STATEFUL}/server/prompts`,
  ),
]

const questions: readonly Requirement[] = [
  requirement('S-CLI-01', 'Only clients that declared it are asked.', `${STATEFUL}/client/sampling`),
  requirement(
    'S-CLI-02',
    'Questions are put while a request of the client runs, on its stream.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement('S-ELI-01', 'Forms are flat, and plainer for 2025-06-18.', `${STATEFUL}/client/elicitation`),
  requirement(
    'S-ELI-02',
    'Secrets are asked for on a page, of clients that can show one.',
    `${STATEFUL}/client/elicitation`,
  ),
  requirement(
    'S-ELI-03',
    'A page has an id of its own in 2025-11-25, and none after.',
    `${STATEFUL}/client/elicitation`,
  ),
  requirement(
    'S-ELI-04',
    'Answers are checked; declining and cancelling are told apart.',
    `${STATEFUL}/client/elicitation`,
  ),
  requirement('S-SAM-01', 'Tools go to a model only where the client declared it.', `${STATEFUL}/client/sampling`),
  requirement('S-ROOT-01', 'Roots are URIs of files.', `${STATEFUL}/client/roots`),
  requirement('S-MR-01', 'Three methods may answer with questions or state.', `${NEWEST}/basic/patterns/mrtr`),
  requirement(
    'S-MR-02',
    'Questions have keys of their own, and ask only what this request declared.',
    `${NEWEST}/basic/patterns/mrtr`,
  ),
  requirement(
    'S-MR-03',
    'The next round repeats the request and is judged anew, on any node.',
    `${NEWEST}/basic/patterns/mrtr`,
  ),
  requirement(
    'S-MR-04',
    'State is sealed, bound and short-lived; what was changed is refused.',
    `${NEWEST}/basic/patterns/mrtr`,
  ),
  requirement(
    'S-MR-05',
    'Missing answers are asked again, unknown ones ignored, malformed ones refused.',
    `${NEWEST}/basic/patterns/mrtr`,
  ),
  requirement('S-MR-06', 'Questions are not kept.', `${NEWEST}/basic/patterns/mrtr`),
  requirement('S-MR-07', 'A handler acts only when it has every answer.', `${NEWEST}/basic/patterns/mrtr`),
  requirement('S-MR-08', 'State opens under the same key only.', `${NEWEST}/basic/patterns/mrtr`),
  requirement(
    'S-MR-09',
    'For older clients questions are live, and their rounds bounded.',
    `${NEWEST}/basic/patterns/mrtr`,
  ),
  requirement('S-SUB-01', 'subscriptions/listen needs a filter.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement('S-SUB-02', 'What is honoured is acknowledged first.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement(
    'S-SUB-03',
    'Whatever is sent carries the id of the request, with its type.',
    `${NEWEST}/basic/patterns/subscriptions`,
  ),
  requirement('S-SUB-04', 'Nothing is sent that was not asked for.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement('S-SUB-05', 'Several subscriptions live side by side.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement('S-SUB-06', 'On a pipe the client ends one by cancelling it.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement('S-SUB-07', 'The server ends one with a result.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement('S-SUB-08', 'On a pipe too the end is a result.', `${NEWEST}/basic/patterns/subscriptions`),
  requirement('S-SUB-10', 'What is declared is delivered.', `${NEWEST}/basic/patterns/subscriptions`),
]

const http: readonly Requirement[] = [
  requirement(
    'S-ERR-04',
    'In the stateless era an error decided before anything was sent has a status of its own.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-ERR-05',
    'A handler that misses a capability answers with 400 while nothing was sent.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-ERR-06',
    'What HTTP itself refuses has -32000, an unknown session -32001.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement('S-HTTP-01', 'One path takes POST, GET and DELETE.', `${SPEC}/2025-03-26/basic/transports`),
  requirement(
    'S-HTTP-02',
    'A client must take both JSON and events; its Accept is parsed, not searched.',
    `${SPEC}/2025-03-26/basic/transports`,
  ),
  requirement('S-HTTP-03', 'A body is JSON, whatever parameters its type has.', `${SPEC}/2025-03-26/basic/transports`),
  requirement(
    'S-HTTP-04',
    'Notifications and answers are taken with 202 and no body.',
    `${SPEC}/2025-03-26/basic/transports`,
  ),
  requirement(
    'S-HTTP-05',
    'A request is answered in JSON or in events, as the answer needs it.',
    `${SPEC}/2025-03-26/basic/transports`,
  ),
  requirement(
    'S-HTTP-06',
    'On its stream what belongs to a request comes before its answer, which ends the stream.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement(
    'S-HTTP-07',
    'Each message goes to one stream: that of its request, or the standalone one.',
    `${SPEC}/2025-03-26/basic/transports`,
  ),
  requirement('S-HTTP-08', 'In a session a lost connection cancels nothing.', `${SPEC}/2025-03-26/basic/transports`),
  requirement('S-HTTP-09', 'GET gives a reader of events a stream.', `${SPEC}/2025-03-26/basic/transports`),
  requirement(
    'S-HTTP-10',
    'The newest standalone stream wins; one that is resumed stands beside it.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement(
    'S-HTTP-11',
    "A version nobody knows is refused with 400; without one the session's counts.",
    `${SPEC}/2025-06-18/basic/transports`,
  ),
  requirement('S-HTTP-12', 'The version of the session governs.', `${SPEC}/2025-06-18/basic/transports`),
  requirement('S-HTTP-13', 'The body of initialize governs, not its header.', `${SPEC}/2025-06-18/basic/transports`),
  requirement(
    'S-SESS-01',
    'Ids of sessions are visible ASCII and cannot be guessed.',
    `${SPEC}/2025-03-26/basic/transports`,
  ),
  requirement(
    'S-SESS-02',
    'A request that needs a session and names none is refused with 400.',
    `${SPEC}/2025-03-26/basic/transports`,
  ),
  requirement('S-SESS-03', 'An unknown session is 404, for every method.', `${SPEC}/2025-03-26/basic/transports`),
  requirement('S-SESS-04', 'DELETE ends a session with all that goes on in it.', `${SPEC}/2025-03-26/basic/transports`),
  requirement(
    'S-SESS-05',
    'A session belongs to who opened it, and is unknown to anyone else.',
    `${STATEFUL}/basic/security_best_practices`,
  ),
  requirement('S-SESS-06', 'initialize under a stale id opens a new session.', `${STATEFUL}/basic/transports`),
  requirement(
    'S-SESS-07',
    'Sessions are capped, and end when they are idle.',
    `${STATEFUL}/basic/security_best_practices`,
  ),
  requirement(
    'S-SSE-01',
    'An event is a message on one line; stateless ones have no id.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-SSE-02',
    'Ids of events are unique in a session, and mean nothing in another.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement(
    'S-SSE-03',
    'Any stream is resumed by a GET after its last event, and only that stream.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement('S-SSE-04', 'An event that never was is refused with 400.', `${STATEFUL}/basic/transports`),
  requirement(
    'S-SSE-05',
    'Streams of 2025-11-25 open with an event to resume from and a time to come back after.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement('S-SSE-06', 'Streams of older sessions have no such event.', `${SPEC}/2025-06-18/basic/transports`),
  requirement('S-SSE-07', 'What is sent is kept before it is written.', `${STATEFUL}/basic/transports`),
  requirement(
    'S-SSE-08',
    'The head of a stream keeps proxies from holding it back.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-SSE-09', 'Quiet streams are kept alive by comments.', `${NEWEST}/basic/transports/streamable-http`),
  requirement('S-OLD-01', 'The first event of HTTP+SSE says where to post.', `${SPEC}/2024-11-05/basic/transports`),
  requirement(
    'S-OLD-02',
    'What is posted is taken with 202 and answered on the stream.',
    `${SPEC}/2024-11-05/basic/transports`,
  ),
  requirement(
    'S-OLD-03',
    'A post without its stream is refused; the end of the stream ends its work.',
    `${SPEC}/2024-11-05/basic/transports`,
  ),
  requirement('S-OLD-04', 'The place to post is on the origin of the stream.', `${SPEC}/2024-11-05/basic/transports`),
  requirement(
    'S-OLD-05',
    'Every revision with a handshake is spoken over HTTP+SSE.',
    `${SPEC}/2024-11-05/basic/transports`,
  ),
  requirement('S-OLD-06', 'Clients that try the newer transport first are answered.', `${STATEFUL}/basic/transports`),
  requirement('S-ST-01', 'The stateless era has POST only.', `${NEWEST}/basic/transports/streamable-http`),
  requirement(
    'S-ST-02',
    'It has neither batches nor answers of clients.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-ST-03', 'A notification is taken with 202.', `${NEWEST}/basic/transports/streamable-http`),
  requirement(
    'S-ST-04',
    'A stream carries what belongs to its request, then the answer, and never a request.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-ST-05',
    'A client that leaves has cancelled its request.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-ST-06',
    'Sessions and resumption are ignored, and no session is given out.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-ST-07',
    'JSON or events is decided when the first thing is sent.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-ST-08', 'Lists do not vary by connection or history.', `${NEWEST}/basic`),
  requirement('S-ST-09', 'An envelope without its header is refused.', `${NEWEST}/basic/transports/streamable-http`),
  requirement(
    'S-HDR-01',
    'The header of the version repeats the envelope.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-HDR-02', 'Mcp-Method repeats the method.', `${NEWEST}/basic/transports/streamable-http`),
  requirement('S-HDR-03', 'Mcp-Name repeats the name or the URI.', `${NEWEST}/basic/transports/streamable-http`),
  requirement(
    'S-HDR-04',
    'Names of headers have no case, values do; white space around them is trimmed.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-HDR-05',
    'Values may be written in base64, which must be canonical.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-HDR-06',
    'An annotated argument has its header, and a header its argument.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-HDR-07', 'Values are compared by their type.', `${NEWEST}/basic/transports/streamable-http`),
  requirement(
    'S-HDR-08',
    'An annotation that clients would refuse is refused when the tool is added.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-HDR-09', 'Unknown headers of arguments are ignored.', `${NEWEST}/basic/transports/streamable-http`),
  requirement(
    'S-HDR-10',
    'A tool that is not there comes before the headers of its arguments.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-HDR-11',
    'Pages are told which headers they may send and see.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement(
    'S-HDR-12',
    'Requests of older revisions, and other doors, need no repeating headers.',
    `${NEWEST}/basic/transports/streamable-http`,
  ),
  requirement('S-SEC-01', 'An evil Origin is refused on every door.', `${STATEFUL}/basic/transports`),
  requirement('S-SEC-02', 'No Origin is no evil one; null is.', `${STATEFUL}/basic/transports`),
  requirement(
    'S-SEC-03',
    "A server for this machine answers to this machine's names only.",
    `${STATEFUL}/basic/transports`,
  ),
  requirement(
    'S-SEC-04',
    'It listens on this machine unless told otherwise and secured.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement('S-SEC-05', 'Who is refused is refused before the body is read.', `${STATEFUL}/basic/transports`),
  requirement('S-CUS-01', 'Other transports keep messages and lifecycle as they are.', `${STATEFUL}/basic/transports`),
  requirement(
    'S-CUS-02',
    'A WebSocket speaks mcp or nothing named, in text frames of a bounded size.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement(
    'S-CUS-03',
    'A WebSocket is one conversation: it is asked, cancelled and ended like a pipe.',
    `${STATEFUL}/basic/transports`,
  ),
  requirement('S-CUS-04', 'Plain JSON-RPC needs no handshake and has nobody to ask.', `${STATEFUL}/basic/transports`),
  requirement(
    'S-CUS-05',
    'There an envelope needs no headers, but they must not contradict it.',
    `${NEWEST}/basic/transports`,
  ),
  requirement('S-AUTH-07', 'Every request is authenticated, over every door.', `${STATEFUL}/basic/authorization`),
  requirement('S-AUTH-08', 'Tokens come in the Authorization header only.', `${STATEFUL}/basic/authorization`),
  requirement(
    'S-AUTH-10',
    'What belongs to one principal is unknown to another.',
    `${STATEFUL}/basic/security_best_practices`,
  ),
  requirement('S-AUTH-14', 'A refused token is no sign of an era.', `${STATEFUL}/basic/authorization`),
  requirement('S-PING-02', 'A client that does not answer pings is let go.', `${STATEFUL}/basic/utilities/ping`),
]

/** The rules that bind the engine on pipes, in memory and over HTTP. */
export const requirements: readonly Requirement[] = [
  ...messages,
  ...lifecycle,
  ...pipes,
  ...utilities,
  ...features,
  ...questions,
  ...http,
]
