/** How a value of a line is made: from an alphabet, with a length. */
type Make = (alphabet: string, length: number) => string;
type Line = readonly [text: string, build: (make: Make) => string];

const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const WORD = `${UPPER}${LOWER}${DIGITS}`;

const strong = (make: Make): string => `${make(WORD, 9)}7k${make(WORD, 9)}Q`;
const short = (make: Make): string =>
  `${make(LOWER, 4)}${make(DIGITS, 2)}${make(UPPER, 2)}${make(LOWER, 3)}9`;
const marked = (make: Make): string =>
  `${make(UPPER, 1)}${make(LOWER, 5)}${make('!#%&*+', 1)}${make(DIGITS, 3)}x`;
const hex32 = (make: Make): string => `a1${make(HEX, 30)}`;
const base64 = (make: Make): string => `${make(WORD, 43)}=`;
const uuid = (make: Make): string =>
  `${make(HEX, 8)}-${make(HEX, 4)}-4${make(HEX, 3)}-a${make(HEX, 3)}-${make(HEX, 12)}`;
/** From parts, so that no file of this repository contains one. */
const after =
  (...prefix: readonly string[]) =>
  (alphabet: string, length: number) =>
  (make: Make): string =>
    prefix.join('') + make(alphabet, length);

/** Sixty ways to write a secret, each unlike those of the other sets. */
export const FURTHER_SECRETS: readonly Line[] = [
  ['DB_PASS=SECRET', short],
  ['spring.datasource.password=SECRET', marked],
  ['mongodb+srv://admin:SECRET@cluster0.example.net/db?retryWrites=true', short],
  ['export TF_VAR_db_password=SECRET', short],
  ['ENV MYSQL_ROOT_PASSWORD=SECRET', short],
  ['      - POSTGRES_PASSWORD=SECRET', marked],
  ['db.example.com:5432:shop:app:SECRET', short],
  ['machine api.example.com login bob password SECRET', short],
  ['curl -u deploy:SECRET https://nexus.example.com/', short],
  ['PGPASSWORD=SECRET psql -h db -U app', short],
  ["sshpass -p 'SECRET' ssh root@10.0.0.4", marked],
  ['Server=sql.example.com;User Id=sa;Password=SECRET;Encrypt=true', marked],
  ["SECRET_KEY = 'SECRET'", (make) => `dja${'ngo-insecure-'}${make(WORD, 40)}`],
  ['secret_key_base: SECRET', (make) => make(HEX, 128)],
  ['APP_KEY=base64:SECRET', base64],
  ["define('DB_PASSWORD', 'SECRET');", marked],
  ["define( 'AUTH_KEY', 'SECRET' );", (make) => make(`${WORD}!#%&*+-`, 60)],
  ['ansible_ssh_pass: SECRET', short],
  ['  password: SECRET', (make) => Buffer.from(short(make)).toString('base64')],
  ['kubectl create secret generic db --from-literal=password=SECRET', short],
  ['helm upgrade x ./x --set auth.rootPassword=SECRET', short],
  ['X-Api-Key: SECRET', hex32],
  ['os.environ["SERVICE_TOKEN"] = "SECRET"', strong],
  ['let apiSecret: String = "SECRET"', strong],
  ['val password: String = "SECRET"', marked],
  ["private readonly apiKey: string = 'SECRET';", strong],
  ['const API_KEY: &str = "SECRET";', strong],
  ["    'password' => 'SECRET',", marked],
  ["my $passwd = 'SECRET';", short],
  ['$p = ConvertTo-SecureString "SECRET" -AsPlainText -Force', marked],
  ['<entry key="api-token">SECRET</entry>', strong],
  ['TWILIO_AUTH_TOKEN=SECRET', hex32],
  ['DD_API_KEY: SECRET', hex32],
  ['CF_API_TOKEN="SECRET"', (make) => make(WORD, 40)],
  ['CONSUL_HTTP_TOKEN=SECRET', uuid],
  ['totp_secret = "SECRET"', (make) => `J7${make(`${UPPER}234567`, 30)}`],
  ['otpauth://totp/Shop:ann?secret=SECRET&issuer=Shop', (make) => `J7${make(`${UPPER}234567`, 30)}`],
  ['https://api.example.com/v1/items?api_key=SECRET&page=2', strong],
  ['url: https://hooks.example.com/in?access_token=SECRET', strong],
  ['BindPassword SECRET', short],
  ['requirepass SECRET', short],
  ['smtp_pass: "SECRET"', short],
  ['sasl.jaas.config=... required username="kafka" password="SECRET";', marked],
  ['_authToken = SECRET', (make) => `${uuid(make)}`],
  ['git clone https://x-oauth:SECRET@git.example.com/a/b.git', strong],
  ['ANTHROPIC_API_KEY=SECRET', after('sk', '-ant', '-api03-')(WORD, 90)],
  ['client = Groq(api_key="SECRET")', after('gs', 'k_')(WORD, 52)],
  ['REPLICATE_API_TOKEN=SECRET', after('r', '8_')(WORD, 37)],
  ['hubspot.Client(access_token="SECRET")', (make) => `pat${'-na1-'}${uuid(make)}`],
  ['# netlify: SECRET', after('nf', 'p_')(WORD, 36)],
  ['// circleci SECRET', after('CCI', 'PAT_')(WORD, 62)],
  ['pulumi login SECRET', after('pu', 'l-')(HEX, 40)],
  ['dynatrace SECRET', (make) => `dt0${'c01.'}${make(`${UPPER}234567`, 24)}.${make(`${UPPER}234567`, 64)}`],
  ['nvidia SECRET', after('nv', 'api-')(WORD, 64)],
  ['oss.New(endpoint, "SECRET", s)', after('LT', 'AI5t')(WORD, 20)],
  ['buildkite-agent SECRET', after('bk', 'ua_')(HEX, 40)],
  ['pinecone SECRET', after('pc', 'sk_')(WORD, 64)],
  ['xai SECRET', after('x', 'ai-')(WORD, 80)],
  ['facebook SECRET', after('EA', 'ACEdEose0cBA')(WORD, 120)],
  ['posthog SECRET', after('ph', 'x_')(WORD, 43)],
];

/** Sixty lines that only look like one. `SECRET` is filled all the same. */
export const FURTHER_LOOK_ALIKES: readonly Line[] = [
  ['password_reset_url: https://example.com/reset/SECRET', uuid],
  ['def login(user: str, token: str) -> SessionSECRET:', (make) => make(DIGITS, 1)],
  ['token: ${{ secrets.GITHUB_TOKEN }} # SECRET', (make) => make(DIGITS, 4)],
  ['password: !vault | # SECRET', (make) => make(DIGITS, 4)],
  ['<password>${db.passwordSECRET}</password>', (make) => make(DIGITS, 1)],
  ['PASSWORD=$(cat /run/secrets/dbSECRET)', (make) => make(DIGITS, 2)],
  ['passwordEncoder = new BCryptPasswordEncoder(SECRET)', (make) => make(DIGITS, 2)],
  ['"password": "{{ vault_db_passwordSECRET }}"', (make) => make(DIGITS, 1)],
  ['if (password === confirmPasswordSECRET) return', (make) => make(DIGITS, 1)],
  ['  password: string; // SECRET', (make) => make(DIGITS, 3)],
  ['csrfToken: z.string().min(SECRET)', (make) => make(DIGITS, 2)],
  ['TOKEN_URL=https://login.example.com/oauth/token/vSECRET', (make) => make(DIGITS, 1)],
  [
    'secret_arn = "arn:aws:secretsmanager:eu-west-1:SECRET:secret:shop-db-AbCdEf"',
    (make) => make(DIGITS, 12),
  ],
  ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAISECRET ann@laptop', (make) => make(WORD, 43)],
  ['-----BEGIN PUBLIC KEY-----\nMIISECRET\n-----END PUBLIC KEY-----', (make) => make(WORD, 60)],
  ['-----BEGIN CERTIFICATE-----\nMIISECRET\n-----END CERTIFICATE-----', (make) => make(WORD, 60)],
  ['background: url(data:image/png;base64,iVBORw0KGgoSECRET=)', (make) => make(WORD, 80)],
  ['SECRET  dist/app.tar.gz', (make) => make(HEX, 64)],
  ['golang.org/x/text v0.3.7 h1:SECRET=', (make) => make(WORD, 43)],
  ['//# sourceMappingURL=app.SECRET.js.map', (make) => make(HEX, 20)],
  ['argon2: "$argon2id$v=19$m=65536,t=3,p=4$SECRET"', (make) => make(WORD, 22)],
  ['tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-SECRET")', (make) => make(DIGITS, 2)],
  ['max_tokens=SECRET, temperature=0.2', (make) => `4${make(DIGITS, 3)}`],
  ['id = Column(Integer, primary_key=True) # SECRET', (make) => make(DIGITS, 3)],
  ['cache_key = "products:list:SECRET"', (make) => make(DIGITS, 4)],
  ['API_KEY_HEADER = "X-Api-Key-SECRET"', (make) => make(DIGITS, 1)],
  ["t('password.forgot.titleSECRET')", (make) => make(DIGITS, 1)],
  ['input[type=password] { width: SECRETpx }', (make) => make(DIGITS, 3)],
  ['new SecretManagerServiceClient({ timeout: SECRET })', (make) => make(DIGITS, 5)],
  ['  secretKeyRef:\n    name: app-SECRET\n    key: password', (make) => make(DIGITS, 3)],
  ['password=********  # SECRET', (make) => make(DIGITS, 3)],
  ['PWD=/home/ann/projectSECRET', (make) => make(DIGITS, 2)],
  ['The password must have at least SECRET characters.', (make) => make(DIGITS, 2)],
  ['<input placeholder="Enter password" id="fieldSECRET">', (make) => make(DIGITS, 2)],
  ['public_key = "SECRET"', (make) => make(WORD, 44)],
  ['pass: expect(resultSECRET).toBe(true)', (make) => make(DIGITS, 1)],
  ['test_pass_rate = 0.SECRET', (make) => make(DIGITS, 6)],
  ['compass: "north-east-SECRET"', (make) => make(DIGITS, 2)],
  ['bypass = "feature-flag-SECRET"', (make) => make(DIGITS, 2)],
  ['passenger_id = "SECRET"', (make) => make(DIGITS, 8)],
  ['def test_password_is_hashed_SECRET():', (make) => make(DIGITS, 2)],
  ['error: password authentication failed for user "appSECRET"', (make) => make(DIGITS, 2)],
  ['Received token type bearer, expires_in SECRET', (make) => make(DIGITS, 4)],
  ['const tokens = line.split(" ").slice(SECRET);', (make) => make(DIGITS, 1)],
  ['requirepass yourpassword # SECRET', (make) => make(DIGITS, 2)],
  ['curl -u "$USER:$PASSWORD" https://example.com/SECRET', (make) => make(DIGITS, 2)],
  ['curl -u user:password https://example.com/SECRET', (make) => make(DIGITS, 2)],
  ['machine git.example.com login USER password PASSWORD # SECRET', (make) => make(DIGITS, 2)],
  ['Server=db;Password={0};Timeout=SECRET', (make) => make(DIGITS, 2)],
  ["define('DB_PASSWORD', getenv('DB_PASSWORD_SECRET'));", (make) => make(DIGITS, 1)],
  ["define('DB_NAME', 'shop_SECRET');", (make) => make(DIGITS, 4)],
  ['?api_key=YOUR_API_KEY&page=SECRET', (make) => make(DIGITS, 2)],
  ['https://example.com/?token={token}&page=SECRET', (make) => make(DIGITS, 2)],
  ['ENV PATH=/opt/venv-SECRET/bin:$PATH', (make) => make(DIGITS, 2)],
  ['version: 1.2.3-SECRET', (make) => make(HEX, 12)],
  ['00:1b:44:SECRET:3a:b7', (make) => make(DIGITS, 2)],
  ['Session key rotation happens every SECRET hours', (make) => make(DIGITS, 2)],
  ['val password: String = readPassword(SECRET)', (make) => make(DIGITS, 2)],
  ['private apiKey: string = process.env.API_KEY_SECRET;', (make) => make(DIGITS, 1)],
  ['localhost:5432:*:app:# SECRET', (make) => make(DIGITS, 2)],
];
