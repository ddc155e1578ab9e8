import type { Pattern } from './knowledge/pattern.ts'
import { ADVISED, languageOf } from './knowledge/settings.ts'
import type { Setting } from './knowledge/settings.ts'

type Topic =
  | 'object'
  | 'guard'
  | 'input'
  | 'output'
  | 'credential'
  | 'job'
  | 'atomic'
  | 'file'
  | 'boundary'
  | 'realtime'

const TOPICS: Readonly<Record<string, Topic>> = {
  architecture: 'guard',
  'async-boundaries': 'job',
  'bulk-operations': 'object',
  'business-rules': 'input',
  caching: 'output',
  concurrency: 'atomic',
  'control-flow': 'guard',
  'decision-logic': 'guard',
  'delegated-access': 'credential',
  'endpoint-guards': 'guard',
  'function-level': 'guard',
  'identity-linking': 'credential',
  'input-handling': 'input',
  lifecycle: 'credential',
  'privilege-management': 'guard',
  'property-exposure': 'output',
  realtime: 'realtime',
  'request-handling': 'guard',
  'service-boundaries': 'boundary',
  'state-transitions': 'atomic',
  'token-handling': 'credential',
}

const BY_ID: Readonly<Record<string, Topic>> = { 'TMKB-AUTHZ-037': 'file' }

const ADVICE: Readonly<Record<string, Readonly<Record<Topic, string>>>> = {
  rails: {
    object:
      'Look records up through the owner, as in current_user.invoices.find(params[:id]); with Pundit use policy_scope and verify_policy_scoped.',
    guard:
      'Put before_action guards into a base controller of the area; with Pundit call authorize in every action and after_action :verify_authorized.',
    input:
      'Permit parameters by name (params.expect or params.require(...).permit); never permit! and never role, owner or price.',
    output:
      'Render through a serializer or jbuilder view that lists fields; put the tenant into every Rails.cache key.',
    credential:
      'Use has_secure_token or signed_id with expires_in and purpose; store digests, compare with ActiveSupport::SecurityUtils.secure_compare, reset_session on login.',
    job: 'Pass the user id to the job and load the record through that user inside perform.',
    atomic: 'Use with_lock, or where(status: from).update_all(status: to) and look at the count.',
    file: 'Serve Active Storage blobs through a controller that finds the record through its owner, not through public blob URLs.',
    boundary: 'Verify signatures over request.raw_post before parsing; do not trust identity headers from clients.',
    realtime:
      'Reject in the connect of ApplicationCable::Connection, and stream_for only records that the user may see.',
  },
  spring: {
    object:
      'Query by id and owner together (findByIdAndOwnerId), or use @PostAuthorize("returnObject.owner == authentication.name").',
    guard:
      'Deny by default in the SecurityFilterChain (anyRequest().denyAll()) and put @PreAuthorize on service methods; it does not run on calls within the same bean.',
    input: 'Bind to a record that lists the fields, never to the entity; take owner and price from the server.',
    output: 'Return DTOs, not entities; put the tenant into @Cacheable keys.',
    credential:
      'Configure JwtDecoder with issuer and audience validators; look authorities up; store digests of tokens with an expiry.',
    job: 'Pass the user id with the message and check again in the listener; the SecurityContext does not travel to other threads.',
    atomic: 'Use @Version, or an @Modifying update with the old state in its condition, and look at the count.',
    file: 'Load the record by id and owner and stream from a key made by the server; never resolve a name of the client.',
    boundary:
      'Verify the signature over the raw bytes (@RequestBody byte[]) before parsing; strip identity headers at the edge.',
    realtime: 'Check in a ChannelInterceptor on CONNECT, SUBSCRIBE and SEND, and set the allowed origins.',
  },
  gin: {
    object:
      'Put the owner into the query, as in db.Where("id = ? AND owner_id = ?", c.Param("id"), userID).First(&invoice), and answer 404.',
    guard:
      'Attach guards with group.Use before the routes of the group; after c.AbortWithStatus return at once, since the handler goes on otherwise.',
    input: 'Bind to a struct that has only the fields a caller may set, never to the model.',
    output:
      'Answer with a struct made for the response; keep secrets out with json:"-"; put the tenant into cache keys.',
    credential:
      'Parse tokens with jwt.WithValidMethods, WithIssuer and WithAudience; store digests and compare with subtle.ConstantTimeCompare.',
    job: 'Send the user id with the message and check again in the worker; do not pass the *gin.Context to a goroutine.',
    atomic:
      'Put the old state into the WHERE of the UPDATE and look at RowsAffected, or SELECT ... FOR UPDATE in a transaction.',
    file: 'Find the record by id and owner and serve a key made by the server; never filepath.Join a name of the client.',
    boundary: 'Read c.GetRawData() once and verify the signature over it before unmarshalling; set trusted proxies.',
    realtime:
      'Check user, room and origin (Upgrader.CheckOrigin) before Upgrade, and membership again for each message.',
  },
  nextjs: {
    object:
      'Check in the data access layer that server components, actions and route handlers call: query by id and the owner from the session.',
    guard:
      'Check inside every server action and route handler; middleware and layouts are no boundary, and client components only hide.',
    input:
      'Parse FormData or JSON with a schema that lists the fields; treat every argument of a server action as hostile.',
    output:
      'Return only the fields the page shows: props of client components are public; keep per-user data out of shared caches.',
    credential:
      'Verify tokens with jose and pinned algorithms, issuer and audience; look rights up on the server for each request.',
    job: 'Pass the user id with the job and check again where it runs.',
    atomic: 'Use a conditional update (updateMany with the old state in where) and look at the count.',
    file: 'Serve files from a route handler that finds the record by id and owner; presign for minutes and for one key.',
    boundary: 'Read await request.text() and verify the signature over it before JSON.parse.',
    realtime: 'Check user and room in the handler that opens the stream or signs the channel, for every channel.',
  },
}

/** What to do about a pattern in a framework that it has no code for. */
export function adviceFor(pattern: Pattern, setting: Setting): string | undefined {
  const language = languageOf(setting.language)
  const framework = setting.framework ?? Object.keys(ADVISED).find(name => ADVISED[name] === language)
  const topic = BY_ID[pattern.id] ?? TOPICS[pattern.subcategory] ?? 'object'
  return framework === undefined ? undefined : ADVICE[framework]?.[topic]
}
