import { place, type SecretRule } from './secret-rule.js';

/** In calls, statements of SQL and declarations. */
export const CODE_PLACES: readonly SecretRule[] = [
  // Several variables at once: `user, password = "ada", "..."`
  place(
    'user, p|login, p',
    /(?:pass(?:word|wd|phrase)?|pwd?)(?<=,\s{0,3}\w{0,30})\s{0,3}[)\]]?\s{0,3}:?=\s{0,3}[([]?\s{0,3}["'][^"'\n]{0,60}["']\s{0,3},\s{0,3}["'](?<secret>[^"'\s]{6,100})["']/g,
  ),
  // A value of the type SecureString of AWS
  place(
    'SecureString',
    /\bSecureString["']\s{0,20},?\s{0,20}["']?value["']?\s{0,20}[:=]\s{0,3}["'](?<secret>[^"'\s]{6,200})["']/gi,
  ),
  // What is encoded for the header of basic authentication: `btoa('user:password')`
  place(
    [
      'btoa(',
      "uffer.from('",
      'uffer.from("',
      'uffer.from(`',
      'b64encode(',
      'base64_encode(',
      'ncodeToString(',
      'encode64(',
      'GetBytes(',
    ],
    /(?:\bbtoa|\bBuffer\.from|b64encode|base64_encode|[eE]ncodeToString|encode64|GetBytes)\(\s{0,3}(?:\[\]byte\()?[bf]?["'`][\w.@+-]{1,40}:(?<secret>(?=[^\s"'`]{0,60}\d)[^\s"'`:{}$]{6,100})["'`]/g,
  ),
  // What is hashed, and the characters of a password in Java
  place(
    'Hash::make(|crypt.|word_hash(|make_password(|ashpw(|Encoder|toCharArray',
    /(?:\b(?:Hash::make|bcrypt\.\w{1,20}|(?:generate_)?password_hash|make_password|hashpw|[pP]asswordEncoder(?:\(\))?\.encode)\(\s{0,3}[bB]?["'](?<secret>[^"'\s]{6,100})["']|"(?<second>[^"\s]{6,100})"\.toCharArray\()/g,
  ),
  // An administrator and a password: `("admin", "...")`, "`admin` / `...`"; or in one text: `x_auth = user:password`
  place(
    [
      '"admin"',
      "'admin'",
      '"root"',
      "'root'",
      '`admin`',
      '`root`',
      'admin / ',
      'root / ',
      '_auth',
      'auth_',
      'AUTH=',
      'AUTH_',
      '_AUTH',
    ],
    /(?:["'`](?:admin|root|administrator|postgres|superuser)["'`]\s{0,3}(?:,|\/)\s{0,3}["'`](?<secret>(?=[^"'\s]{0,60}\d)[^"'`\s]{6,64})["'`]|\b(?:admin|root)\s\/\s(?<second>(?=\S{0,60}\d)[^"'`\s]{6,64})(?=\s|$)|_?(?:auth|AUTH)_?\w{0,20}\s{0,2}[:=]\s{0,2}["']?[\w.@-]{1,40}:(?<third>(?=\S{0,60}\d)[^\s"'`:/]{6,64})(?=["']?(?:\s|$)))/g,
  ),
  // SQL
  place(
    'IDENTIFIED|PASSWORD|identified|password ',
    /\b(?:IDENTIFIED\s{1,4}BY|PASSWORD)\s{0,4}=?\s{0,4}(?:N?'(?<secret>[^'\n]{6,200})'|"(?<second>[^"\s]{6,200})")/gi,
  ),
  // The password of a user in a list of arguments: `connect(url, "app", "password")`, `auth=("app", "password")`
  place(
    'onnection(|onnect(|mysqli|PDO(|redential|uth(|auth=|auth =|asic|addlogin|equelize(|_bind_s(|assword(|Dialer(|WiFi.begin(|eyed(|jwt.|lient(|wilio(|exmo(|onage(|livo(|azorpay(|lgoliasearch(|mac(|ipher(|ipheriv(|ogin(|uthenticate(|ldap|_bind(|lient.new(|atabase(|ignWith(|sign(|eUser(|dUser(|e_user(|d_user(|ignIn(|oginAs(|AndPassword(|uperuser(|uperUser(|ignUp(',
    /(?:[cC]onnect(?:ion)?|mysqli|\bPDO|[cC]redentials?|[aA]uth\w{0,20}|\bauth\s{0,2}=\s{0,2}|jwt\.(?:sign|verify|encode|decode)|[hH]mac|[cC]ipher(?:iv)?|[lL]ogin(?:As|With\w{0,24})?|_bind|[cC]lient(?:\.new)?|[tT]wilio|[nN]exmo|[vV]onage|[pP]livo|[rR]azorpay|algoliasearch|[dD]atabase|[sS]ign(?:With)?|[bB]asic\w{0,12}|[sS]equelize|_bind\w{0,2}|[sS]et_?[pP]assword|[dD]ialer|WiFi\.begin|sp_addlogin(?=[( ])|(?:[cC]reate|[aA]dd)_?(?:[sS]uper_?)?[uU]ser|[sS]ign_?(?:In|Up|in|up)(?:With\w{0,24})?)[( ]\s{0,4}(?:[^()\n"'`]{0,60}|["'][^"'\n]{0,80}["'])(?:,\s{0,4}(?:[\w.$]{1,40}|["'][^"'\n]{0,80}["'])){0,3}?,\s{0,4}(?:\w{1,12}\()?["'](?<secret>(?=[^"'\s]{0,60}[\d!@#$%^&*+~])(?!\d{1,3}\.)(?![\w.+-]{1,40}@[\w-]{1,40}\.[a-z.]{2,10}["'])[^"'\s]{6,200})["']\)?\s{0,4}(?:[,)]|$)/gm,
  ),
  // The arguments of a program in a list: `["sshpass", "-p", "..."]`, `["curl", "-u", "user:..."]`
  place(
    ['sshpass', 'curl"', "curl'"],
    /(?:\bsshpass["']\s{0,3},\s{0,3}(?:\[\s{0,3})?["']-p["']\s{0,3},\s{0,3}["']|\bcurl["'][^\n]{0,200}?["'](?:-u|--user)["']\s{0,3},\s{0,3}["'][\w.@+-]{1,60}:)(?<secret>[^"'\s]{6,200})["']/g,
  ),
  // A value before its name: `{ "value": "...", "name": "SMTP_PASSWORD" }`
  place(
    ['value":', 'Value":', "value':", 'value: '],
    /\bvalue["']?\s{0,2}[:=]\s{0,2}["'](?<secret>[^"'\s]{6,200})["']\s{0,3},?\s{0,40}["']?\b(?:name|key)["']?\s{0,2}[:=]\s{0,2}["'][\w.-]{0,60}(?:pass(?:word|wd|phrase)?|secret|token|api_?key)["']/gi,
  ),
  // A row for a table with a password: `INSERT INTO users (name, password) VALUES ('ada', '...')`
  place(
    'VALUES|values',
    /\bINSERT\s{1,4}INTO\b[^;\n]{0,200}?pass(?:word|wd)?\b[^;\n)]{0,200}\)\s{0,4}VALUES\s{0,4}\([^;\n()]{0,200}?["'](?<secret>(?=[^"'\n]{0,60}\d)(?![^"'\n]{0,60}@[\w-]{1,40}\.)[^"'\s]{6,100})["']/gi,
  ),
  // The key of a cipher, as its first argument
  place(
    'Fernet(|SecretKeySpec(|createSecretKey(|SignedString(|hmacShaKeyFor(|.HMAC|SecurityKey(|hmac.new(|ookieParser(|.auth(',
    /(?:\.auth|\b(?:cookieParser|Fernet|SecretKeySpec|createSecretKey|SignedString|hmacShaKeyFor|\.HMAC\d{3}|SymmetricSecurityKey|hmac\.new))\(\s{0,4}(?:\[\]byte\(|[bB]|Encoding\.\w{2,10}\.GetBytes\()?["'](?<secret>[^"'\n]{8,200})["']/g,
  ),
  // Oracle's `user/password@host`, and Go's `user:password@tcp(host)`
  place(
    'thin:|sqlplus|@tcp(|@unix(',
    /(?:\bthin:|\bsqlplus\s{1,3}(?:-\w\s{1,3}){0,2})\w{1,60}\/(?<secret>[^@\s"'/]{6,100})@|["'`]\w{1,60}:(?<second>[^@\s"'`:]{6,100})@(?:tcp|unix)\(/g,
  ),
  // Terraform: a variable with the name of a secret, and its default
  place(
    'variable "',
    /\bvariable\s{1,3}"[\w-]{0,60}(?:pass(?:word|wd|phrase)?|secret|token|key)[\w-]{0,20}"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,5}=\s{0,3}"(?<secret>[^"\n]{6,200})"/g,
  ),
];
