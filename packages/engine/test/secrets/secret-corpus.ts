const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALNUM = LOWER + LOWER.toUpperCase() + DIGITS
const WORD = `${ALNUM}_`
const URLSAFE = `${ALNUM}_-`
const HEX = '0123456789abcdef'
const UPPER = LOWER.toUpperCase() + DIGITS

/** A format: literal pieces, and `[alphabet, length]` for what is generated. Whole tokens never stand in the source. */
type Format = readonly (string | readonly [string, number])[]

const jwtPart = (length: number): Format => ['ey', 'J', [URLSAFE, length]]

/** Credentials as they are issued, by who issues them. */
export const ISSUED: Readonly<Record<string, Format>> = {
  'causeway token': ['cw', '_', [URLSAFE, 32]],
  'github personal': ['gh', 'p_', [ALNUM, 36]],
  'github oauth': ['gh', 'o_', [ALNUM, 36]],
  'github user': ['gh', 'u_', [ALNUM, 36]],
  'github server': ['gh', 's_', [ALNUM, 36]],
  'github refresh': ['gh', 'r_', [ALNUM, 76]],
  'github fine-grained': ['github', '_pat_', [ALNUM, 22], '_', [ALNUM, 59]],
  'gitlab personal': ['gl', 'pat-', [URLSAFE, 20]],
  'gitlab routable': ['gl', 'pat-', [URLSAFE, 27], '.01.', [LOWER + DIGITS, 9]],
  'gitlab runner': ['gl', 'rt-', [URLSAFE, 20]],
  'gitlab deploy': ['gl', 'dt-', [URLSAFE, 20]],
  'gitlab job': ['gl', 'cbt-', [URLSAFE, 24]],
  'atlassian api': ['AT', 'ATT3', [URLSAFE, 186]],
  'bitbucket app password': ['AT', 'BB', [ALNUM, 32]],
  'npm access': ['npm', '_', [ALNUM, 36]],
  pypi: ['py', 'pi-AgEIcHlwaS5vcmc', [URLSAFE, 80]],
  rubygems: ['ruby', 'gems_', [HEX, 48]],
  'docker hub': ['dckr', '_pat_', [URLSAFE, 27]],
  'slack bot': ['xo', 'xb-', [DIGITS, 12], '-', [DIGITS, 12], '-', [ALNUM, 24]],
  'slack user': ['xo', 'xp-', [DIGITS, 12], '-', [DIGITS, 12], '-', [HEX, 32]],
  'slack app': ['xa', 'pp-1-', [UPPER, 11], '-', [DIGITS, 12], '-', [HEX, 64]],
  'slack refresh': ['xo', 'xe-1-', [ALNUM, 140]],
  'discord bot': ['M', [ALNUM, 23], '.', [URLSAFE, 6], '.', [URLSAFE, 27]],
  'telegram bot': [[DIGITS.slice(1), 10], ':', 'AA', [URLSAFE, 33]],
  'stripe secret': ['sk', '_live_', [ALNUM, 24]],
  'stripe restricted': ['rk', '_test_', [ALNUM, 99]],
  'stripe webhook': ['wh', 'sec_', [ALNUM, 32]],
  'shopify admin': ['shp', 'at_', [HEX, 32]],
  'square access': ['sq0', 'atp-', [URLSAFE, 22]],
  'aws access key': ['AK', 'IA', [UPPER, 16]],
  'aws temporary key': ['AS', 'IA', [UPPER, 16]],
  'google api key': ['AI', 'za', [URLSAFE, 35]],
  'google oauth access': ['ya', '29.', [URLSAFE, 60]],
  'google oauth secret': ['GOC', 'SPX-', [URLSAFE, 28]],
  'azure client secret': [[ALNUM, 3], '8', 'Q~', [ALNUM, 34]],
  digitalocean: ['do', 'p_v1_', [HEX, 64]],
  databricks: ['da', 'pi', [HEX, 32]],
  'vault service': ['hv', 's.', [URLSAFE, 90]],
  'terraform cloud': [[ALNUM, 14], '.atlas', 'v1.', [URLSAFE, 60]],
  heroku: ['HR', 'KU-', [ALNUM, 58]],
  planetscale: ['pscale', '_tkn_', [URLSAFE, 43]],
  supabase: ['sb', 'p_', [HEX, 40]],
  doppler: ['dp', '.pt.', [ALNUM, 43]],
  pulumi: ['pu', 'l-', [HEX, 40]],
  dynatrace: ['dt0', 'c01.', [UPPER, 24], '.', [UPPER, 64]],
  'openai legacy': ['s', 'k-', [ALNUM, 20], 'T3BlbkFJ', [ALNUM, 20]],
  'openai project': ['s', 'k-proj-', [URLSAFE, 64], '7', [URLSAFE, 60]],
  anthropic: ['s', 'k-ant-api03-', [URLSAFE, 93], 'AA'],
  openrouter: ['s', 'k-or-v1-', [HEX, 64]],
  groq: ['gs', 'k_', [ALNUM, 52]],
  xai: ['xa', 'i-', [ALNUM, 80]],
  huggingface: ['h', 'f_', [ALNUM, 34]],
  replicate: ['r', '8_', [ALNUM, 37]],
  sendgrid: ['S', 'G.', [URLSAFE, 22], '.', [URLSAFE, 43]],
  'twilio api key': ['S', 'K', [HEX, 32]],
  mailgun: ['key', '-', [HEX, 32]],
  mailchimp: [[HEX, 32], '-us', '12'],
  linear: ['lin', '_api_', [ALNUM, 40]],
  notion: ['nt', 'n_', [ALNUM, 46]],
  figma: ['fig', 'd_', [URLSAFE, 40]],
  'grafana service account': ['gl', 'sa_', [ALNUM, 32], '_', [HEX, 8]],
  'new relic': ['NR', 'AK-', [UPPER, 27]],
  sentry: ['sn', 'trys_', [ALNUM, 60]],
  postman: ['PM', 'AK-', [HEX, 24], '-', [HEX, 34]],
  age: ['AGE-SECRET', '-KEY-1', [UPPER, 58]],
  jwt: [...jwtPart(30), '.', ...jwtPart(60), '.', [URLSAFE, 43]],
  'unsigned jwt': [...jwtPart(20), '.', ...jwtPart(40), '.'],
}

/** Text whose secret is recognised by what stands around it; `{}` is where the secret stands. */
export const SURROUNDED: readonly string[] = [
  'Authorization: Bearer {}',
  'authorization: Basic {}',
  "curl -H 'Authorization: token {}' https://x.example",
  'proxy-authorization={}',
  'Cookie: sid={}; theme=dark',
  'X-Api-Key: {}',
  'bearer {}',
  'PASSWORD={}',
  'export DB_PASSWORD="{}"',
  "MYSQL_PWD='{}' mysqldump",
  'GITHUB_PAT={}',
  'ROOT_PW={}',
  'AWS_SECRET_ACCESS_KEY={}',
  'access_key: {}',
  'accessKey={}',
  'pwd={}',
  'pwd: {}',
  '{"password":"{}"}',
  '{"text":"{\\"token\\":\\"{}\\"}"}',
  'text="password={}"',
  'Server=db;User Id=sa;Password={};Encrypt=true',
  'AccountName=x;AccountKey={};EndpointSuffix=core',
  'SharedAccessKey={}',
  'https://x.blob.example/c?sv=2020&sig={}&se=1',
  'https://api.example/v1?access_token={}&page=2',
  'https://api.example/v1?user=ann&api_key={}',
  'postgres://ann:{}@db.example:5432/app',
  'redis://:{}@cache:6379/0',
  'https://ann:p@ss{}@host.example/x',
  'https://{}{}@github.example/a/b.git',
  'amqps://ann:a/b{}@mq.example/vhost',
  'deploy --password {}',
  'deploy --password={} --verbose',
  "deploy --api-key '{}'",
  'deploy -token {}',
  'mysql -u root -p{} app',
  'mysqldump --single-transaction -p {} app',
  'sshpass -p {} ssh host',
  'docker login -u ann -p {} registry.example',
  'redis-cli -h cache -a {} ping',
  'curl -u ann:{} https://x.example',
  'curl -sS --user "ann:{}" https://x.example',
  'client_secret := {}',
  'passphrase => {}',
  'the webhook is https://hooks.slack.com/services/T{}/B1/{}',
  'https://discord.com/api/webhooks/123456/{}',
  'https://x.webhook.office.com/webhookb2/{}/IncomingWebhook/1',
  'https://hooks.zapier.com/hooks/catch/1/{}/',
  'https://api.telegram.org/bot{}/sendMessage',
]

/** Text in which nothing is a secret. */
export const LOOKALIKES: readonly string[] = [
  '6a895a2f0c7b1d3e4f5a6b7c8d9e0f1a2b3c4d5e',
  'd58355a',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '123e4567-e89b-12d3-a456-426614174000',
  'sha512-Sx1b2c3d4e5f60718293a4b5c6d7e8f9fffAAAbbbCCCddd==',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  '/usr/local/share/keyboard/layouts/monkey.txt',
  'packages/engine/src/secrets/secrets.ts:12',
  'author=Ann Example <ann@example.org>',
  'author: ann',
  'authority: example.org',
  'path=/home/ann pattern=*.ts patch=3',
  'monkey=see keyboard=de-DE turkey: 12',
  'compass: north, bypass=1, passenger: ann, passed=12',
  'tokenizer=bpe max_tokens=4096',
  'secretary? No.',
  '--author ann --pattern x --token-file /etc/causeway/tokens',
  'mkdir -p src/deep && cp -p a b && ssh -p 22 host',
  'https://example.org:8080/@scope/package?x=1#a@b',
  'http://localhost:3000/@vite/client',
  'ssh://git@github.com/a/b.git and git@github.com:a/b.git',
  'mailto:ann@example.org',
  'basic understanding of bearer tokens',
  'sk-SK, sk-loading-spinner-wrapper',
  'npm_config_registry npm_lifecycle_event',
  'github_actions ghp_short',
  'eyJust a word.',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
  'https://hooks.slack.com/ and https://discord.com/channels/1/2',
  'password: true, token=null, secret: none',
  'line 12:34 at 2025-11-15T18:32:00.000Z',
  'key=value, cacheKey: 17, primary key: id, sort_key=name',
]

/** Numbers that look random and are the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Fill a format in. */
export function generate(format: Format, seed: number): string {
  const next = random(seed)
  const run = ([alphabet, length]: readonly [string, number]): string =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join('')
  return format.map(piece => (typeof piece === 'string' ? piece : run(piece))).join('')
}

/** A password that has no look of its own. */
export const plainSecret = (seed: number): string => generate([[WORD.replace('_', ''), 14]], seed)

/** A private key as programs write it, of the named kind. */
export const pem = (kind: string, seed: number): string => {
  const dashes = '-'.repeat(5)
  const lines = [1, 2, 3].map(n => generate([[`${ALNUM}+/`, 64]], seed + n))
  return [`${dashes}BEGIN ${kind}${dashes}`, ...lines, `${dashes}END ${kind}${dashes}`].join('\n')
}
