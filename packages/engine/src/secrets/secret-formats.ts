// Every quantifier that something must follow has an upper bound, and the open ones stand last: so a failed attempt costs
// a bounded number of steps, and a whole text is searched in linear time.

/** The shapes of issued credentials, each a regular expression without anchors. */
const ISSUED: readonly string[] = [
  // Ours
  String.raw`cw_[\w-]{32}(?![\w-])`,
  // GitHub, GitLab, Bitbucket, Atlassian
  String.raw`gh[pousr]_[A-Za-z0-9]{16,}`,
  String.raw`github_pat_\w{20,}`,
  String.raw`gl(?:pat|oas|rt|rtr|cbt|ptt|ft|imt|agent|soat|dt|ffct|wt)-[\w.-]{16,}`,
  String.raw`AT(?:ATT3|BB|CTT3)[\w=-]{20,}`,
  // Package registries
  String.raw`npm_[A-Za-z0-9]{30,}`,
  String.raw`pypi-[\w-]{32,}`,
  String.raw`rubygems_[0-9a-f]{32,}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{20,}`,
  String.raw`AKCp[A-Za-z0-9]{10,}`,
  // Chat
  String.raw`xox[abcdeoprs](?:\.xox[abp])?-[\w-]{10,}`,
  String.raw`xapp-\d-[\w-]{10,}`,
  String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}`,
  String.raw`\d{6,12}:AA[\w-]{33}(?![\w-])`,
  // Payment and commerce
  String.raw`[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,}`,
  String.raw`whsec_[A-Za-z0-9+/=]{16,}`,
  String.raw`shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,}`,
  String.raw`sq0[a-z]{3}-[\w-]{20,}`,
  // Clouds
  String.raw`(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  String.raw`ABSK[A-Za-z0-9+/=]{40,}`,
  String.raw`AIza[\w-]{35}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`1//0[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  String.raw`[\w~.-]{3}\dQ~[\w~.-]{31,}`,
  String.raw`do[opr]_v1_[0-9a-f]{32,}`,
  String.raw`dapi(?:[0-9a-f]{32}|[0-9A-F]{32})(?:-\d)?(?![A-Za-z0-9])`,
  String.raw`hv[bsr]\.[\w-]{20,}`,
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,}`,
  String.raw`HRKU-[\w-]{20,}`,
  String.raw`pscale_(?:tkn|pw|oauth)_[\w.-]{20,}`,
  String.raw`sbp_[0-9a-f]{32,}`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,}`,
  String.raw`pul-[0-9a-f]{32,}`,
  String.raw`dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{32,}`,
  String.raw`cf(?:ut|k|at)_[A-Za-z0-9]{32,}`,
  String.raw`tskey-[a-z]{2,16}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,}`,
  String.raw`vc[piark]_[A-Za-z0-9]{24,}`,
  // Models
  String.raw`sk-(?=[\w-]{0,64}\d)[\w-]{16,}`,
  String.raw`gsk_[A-Za-z0-9]{20,}`,
  String.raw`(?:pplx|xai)-[A-Za-z0-9]{32,}`,
  String.raw`hf_[A-Za-z0-9]{30,}`,
  String.raw`r8_[A-Za-z0-9]{32,}`,
  // Mail and telephony
  String.raw`SG\.[\w-]{16,64}\.[\w-]{16,}`,
  String.raw`SK[0-9a-f]{32}(?![0-9a-f])`,
  String.raw`key-[0-9a-f]{32}(?![0-9a-f])`,
  String.raw`[0-9a-f]{32}-us\d{1,2}(?!\d)`,
  // Work
  String.raw`lin_(?:api|oauth)_[A-Za-z0-9]{20,}`,
  String.raw`ntn_[A-Za-z0-9]{20,}`,
  String.raw`secret_[A-Za-z0-9]{32,}`,
  String.raw`fig[dou]_[\w-]{20,}`,
  String.raw`gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}`,
  String.raw`NRAK-[A-Z0-9]{20,}`,
  String.raw`sntry[su]_[A-Za-z0-9+/=_-]{20,}`,
  String.raw`PMAK-[0-9a-f-]{32,}`,
  String.raw`ops_eyJ[\w-]{20,}`,
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{20,}`,
]

// A token begins where a word does, or behind what an escape in a source, a URL or a terminal ends with.
const ESCAPED = String.raw`\\[bfnrtv0]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|%[\da-fA-F]{2}|\u001B\[[\d;]{0,16}m`
const BEGINNING = `(?:(?<![A-Za-z0-9])|(?<=${ESCAPED}))`

/** Credentials that give themselves away by their shape, wherever they stand. */
export const ISSUED_CREDENTIAL: RegExp = new RegExp(`${BEGINNING}(?:${ISSUED.join('|')})`, 'g')

/** A signed or encrypted token of two to five parts (JWT). */
export const JWT: RegExp = new RegExp(
  String.raw`(?:(?<![\w-])|(?<=${ESCAPED}))eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}`,
  'g',
)

/** A private key in text form, to its end or to the end of the text. */
export const PRIVATE_KEY: RegExp =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g

/** Addresses that allow anyone who knows them to post: what follows the host is the secret. */
export const WEBHOOK: RegExp = new RegExp(
  `(?<=${[
    String.raw`hooks\.slack\.com/(?:services|workflows|triggers)/`,
    String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/`,
    String.raw`webhook\.office\.com/webhookb2/`,
    String.raw`hooks\.zapier\.com/hooks/catch/`,
    String.raw`maker\.ifttt\.com/trigger/`,
    String.raw`api\.telegram\.org/bot`,
    String.raw`hook\.[a-z0-9]{2,8}\.make\.com/`,
    String.raw`open\.(?:feishu|larksuite)\.(?:cn|com)/open-apis/bot/v2/hook/`,
  ].join('|')})[^\\s"'<>]+`,
  'g',
)

/** The user part of an address that holds a password, or is long enough to be a token. */
export const URL_USERINFO: RegExp =
  /(?<=:\/\/)(?:[^\s:/?#@'"`<>]{0,256}:(?!\d{1,5}[/?#])[^\s'"`<>]{1,512}|[^\s:/?#@'"`<>]{20,512})@/g

/** A header that carries credentials, to the end of its line or quotation. */
export const CREDENTIAL_HEADER: RegExp =
  /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-auth-token)(["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)[^\r\n"']+/gi

/** An authentication scheme with what follows it. */
export const SCHEME: RegExp =
  /(?<![\w-])(?:[Bb]earer|BEARER|[Bb]asic|BASIC|SSWS|[Aa]pi[Kk]ey)\s{1,4}(?=[\w.~+/=-]{16}|[A-Za-z.~+/_-]{0,15}\d|[A-Z]{0,15}[a-z]{1,15}[A-Z])[\w.~+/-]{8,}=*/g

/** The name and the separator of `name=value`, `name: value`, `"name": "value"` and, for flags, `--name value`. */
export const NAME: RegExp =
  /(?<![\w.-])([.-]{0,3}[A-Za-z_][\w.-]{0,127})(\\?["']?\s{0,4}(?::=|=>|[:=])\s{0,4}|(?=\s)(?<=(?<![\w.-])--?[A-Za-z][\w-]{1,63})\s{1,4}(?![-\s]))/g

/** A value, quoted or up to where the next one begins. */
export const VALUE: RegExp =
  /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|\\"[^"\\]*(?:\\")?|(?:[^\s"'&;,]|,(?!\s|$))+/y

/** Programs whose short option is a password: what stands before it, and the password. */
export const SHORT_OPTION: RegExp =
  /(?<![\w-])((?:(?:mysql|mariadb)[a-z-]{0,16}|sshpass|mongo[a-z]{0,10}|(?:docker|podman|helm|oras|skopeo|buildah|az)[^\n;|&]{0,64}? login)\b(?:[^\n;|&]{0,256}?\s)-p\s{0,4}|redis-cli\b(?:[^\n;|&]{0,256}?\s)-a\s{1,4}|(?:curl|wget|http)\b(?:[^\n;|&]{0,512}?\s)(?:-u|--user)[\s=]{1,4}["']?[^\s:"']{0,128}:)("[^"]*"?|'[^']*'?|[^\s"'-][^\s"']*)/g
