import { isChosenPassword } from './chosen-passwords.js';
import { type SecretFinding } from './finding.js';

/** A password by its place: after the option of a command, after a directive, in a column. */
interface Place {
  /** Every match contains one of them; texts without are not searched. */
  hints: readonly string[];
  /** Global, with the group `secret`. Every run is bounded. */
  pattern: RegExp;
}

const PLACES: readonly Place[] = [
  // .pgpass: host, port, database and user before the password
  {
    hints: ['1:', '2:', '3:', '4:', '5:', '6:', '7:', '8:', '9:', '0:', '*:'],
    pattern: /^[\w.*-]{1,100}:(?:[1-6]\d{3,4}|\*):[\w*.-]{1,63}:[\w*.-]{1,63}:(?<secret>[^\s:]{6,200})$/gm,
  },
  // Prose: `the password is ...`, `password: ... ` after other words
  {
    hints: ['assword ', 'assphrase ', 'asswort '],
    pattern:
      /\bpass(?:word|phrase|wort)\s{1,3}(?:(?:is|was|to|ist|lautet)\s{0,2}[:=]?\s{1,3}|[:=]\s{1,3})?["'`(]?(?<secret>(?=[^\s]{0,30}\d)(?=[^\s]{0,30}(?:[A-Z]|[!@#$%^&*+]))[A-Za-z0-9!@#$%^&*+=?_~-]{8,64}?)(?=["'`)]?[.,;]?(?:\s|$))/gi,
  },
  // Notes: `PW: ...`, `(pw:...)`, `pwd(...)`, `password for ada: ...`, `password in staging is ...`
  {
    hints: ['PW', 'pw', 'wd:', 'wd(', 'WD:', 'assword for ', 'assword of ', 'assword in '],
    pattern:
      /(?<![\w$.-])(?:(?:pwd?|PWD?)(?:\)|\s{0,2}[:(]\s{0,2}|<\/?b>:?\s)|[Pp]assword (?:for|of|in|on) [\w.@-]{1,40}\s{0,2}(?::|is)\s{1,3})["'`]?(?<secret>(?=\S{0,30}\d)[A-Za-z0-9!@#$%^&*+=?_.~-]{7,64}?)(?=["'`)\]]{0,2}[.,;]?(?:\s|$|<))/g,
  },
  // A directive of a configuration file: `requirepass ...`, `BindPassword ...`
  {
    hints: [
      'ass ',
      'ass\t',
      'word ',
      'word\t',
      'WORD ',
      'asswd ',
      'phrase ',
      'pw ',
      'auth ',
      'cret ',
      'CRET ',
    ],
    pattern:
      /^[ \t]{0,20}(?:set[ \t])?[\w.-]{0,40}(?:pass(?:word|wd|phrase)?|bind_?pw|rootpw|masterauth|secret)[ \t]{1,8}["']?(?<secret>[^\s"'=:]{6,200})["']?[ \t]{0,8}$/gim,
  },
  // A line of a network device: `username ada password 0 ...`, `enable secret ...`, `tacacs-server key ...`
  {
    hints: ['enable ', 'username ', 'neighbor ', 'ommunity ', 'tacacs', 'radius', 'ppp '],
    pattern:
      /^[ \t]{0,20}(?:enable|user(?:name)?[ \t]\S{1,40}|neighbor[ \t]\S{1,40}|ppp[ \t]\w{1,10}|snmp\S{0,20}|(?:tacacs|radius)\S{0,20}(?:[ \t]host[ \t]\S{1,60})?)[ \t]{1,3}(?:password|secret|key|community)[ \t]{1,3}(?:\d[ \t]{1,3})?["']?(?<secret>[^\s"'=:]{6,200})["']?(?:[ \t]{1,3}R[OW])?[ \t]{0,8}$/gim,
  },
  // .netrc
  {
    hints: ['login ', 'login\t'],
    pattern: /\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?<secret>\S{6,200})/g,
  },
  // `curl -u user:password`, `wget --user=a:b`, also on a continued line, and with quotes around each part
  {
    hints: ['curl ', ' --user', 'lftp '],
    pattern:
      /(?:\b(?:curl|http|wget|lftp)\b(?:[^\n\\]|\\[^\n]?|\\\r?\n){0,300}?\s(?:-u|--user)|\s--user)[ =]{0,5}["']?[\w.@+-]{0,64}[:,]["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // `sshpass -p password`, `mysql -ppassword`
  {
    hints: ['sshpass', 'mysql', 'mariadb'],
    pattern:
      /\b(?:sshpass\s{1,3}-p\s{0,3}|(?:mysql|mariadb)[\w-]{0,10}\b[^\n]{0,100}?\s-p)["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // PowerShell
  {
    hints: ['SecureString', 'securestring'],
    pattern: /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["'](?<secret>[^"'\n]{6,200})["']/gi,
  },
  // The user before the password in one argument: `smbclient -U user%password`, `echo user:password | chpasswd`
  {
    hints: ['smb', 'chpasswd', 'rpcclient', 'mount.cifs'],
    pattern:
      /\b(?:(?:smb\w{3,8}|rpcclient)\b[^\n]{0,100}?(?:-U|--user)[ =]?["']?[\w\\.-]{1,60}%|echo\s{1,3}(?:-\w\s{1,3})?["']?[\w.-]{1,40}:(?=[^\n|]{1,100}\|\s{0,3}(?:sudo\s{1,3})?chpasswd))(?<secret>[^\s"'`|]{5,200})/g,
  },
  // A password from `echo` for a command that reads it: `echo password | sudo -S`
  {
    hints: ['echo ', 'printf ', '<<<'],
    pattern:
      /\b(?:echo|printf)\s{1,3}(?:-\w{1,2}\s{1,3}|['"]%s(?:\\n)?['"]\s{1,3}){0,2}["']?(?<secret>[^\s"'`|]{5,200})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3}(?:-S|--stdin)|(?:sudo\s{1,3})?(?:passwd\b|kinit\b|cryptsetup\b|openconnect\b|gpg\b|su\b)|[\w./-]{1,30}\s[^\n|]{0,80}--?(?:password|passphrase|token|pass)[\w-]{0,8}-?(?:stdin|fd))/g,
  },
  // `htpasswd -b file user password`, `vault login token`, `rootpw password`
  {
    hints: ['htpasswd ', 'vault login ', 'rootpw ', 'login '],
    pattern:
      /\b(?:htpasswd\s{1,3}-\w{0,5}b\w{0,5}\s{1,3}\S{1,100}\s{1,3}\S{1,60}|htpasswd\s{1,3}-\w{0,5}n\w{0,5}b\w{0,5}\s{1,3}\S{1,60}|vault\s{1,3}login(?:\s{1,3}-[\w=-]{1,40}){0,3}|rootpw\s{1,3}(?:--plaintext)?)\s{1,3}["']?(?:token=)?(?<secret>[^\s"'`|=]{5,200})/g,
  },
  // An option of any command: `--password value`, `--api-key value`, `-storepass value`
  {
    hints: [' --', '\n--', 'pass ', '-pw ', '-Password ', '/rp ', '/pass:'],
    pattern:
      /\s(?:(?:--[\w-]{0,20}|-\w{0,12}(?=pass|pw)|-(?=Password ))(?:[Pp]ass(?:word|wd|phrase|in|out)?|pwd?|[_-]?secret|token|bearer|(?:api|access|auth|private|account|signing)[_-]?key)[ \t]{1,4}|\/(?:rp[ \t]|pass:))["']?(?<secret>[^\s"'`=-][^\s"'`]{4,200})/gi,
  },
  // A short option of a command that takes a password there
  {
    hints: [
      ...[
        ' login ',
        'redis-cli',
        'openssl ',
        'ldap',
        'net use',
        'net user',
        'wpa_passphrase ',
        'word-command',
        'rabbitmqctl',
        'mosquitto_',
        'sqlcmd',
        'osql',
        'bcp ',
        'isql',
      ],
      ...[
        'zip ',
        '7z ',
        'useradd',
        'usermod',
        'cqlsh',
        'clickhouse',
        'mongo',
        'ftp ',
        'snmp',
        'ipmitool',
        'xfreerdp',
      ],
    ],
    pattern:
      /\b(?:(?:docker|podman|skopeo|buildah|crane|oras|helm|az|oc)\b[^\n]{0,100}?\blogin\b[^\n]{0,100}?\s-p|redis-cli\b[^\n]{0,100}?\s-a|openssl\b[^\n]{0,100}?\s-(?:k|K|pass(?:in|out)?\s{1,3}pass:)|ldap\w{3,10}\b[^\n]{0,150}?\s-w|mosquitto_\w{3}\b[^\n]{0,100}?\s-P|(?:sqlcmd|osql|bcp|isql)\b[^\n]{0,100}?\s-P|(?:un)?zip\b[^\n]{0,60}?\s-P|7z\s[^\n]{0,60}?\s-p|user(?:add|mod)\b[^\n]{0,60}?\s-p|(?:cqlsh|mongo\w{0,8})\b[^\n]{0,100}?\s-p|ipmitool\b[^\n]{0,80}?\s-P|snmp\w{3,6}\b[^\n]{0,60}?\s-[AXc]|xfreerdp\b[^\n]{0,80}?\s\/p:|net use\b[^\n]{0,100}?\s\/user:\S{1,60}|net use\b[^\n]{0,40}?\s\\\\\S{1,80}(?!\s{1,3}\/)|net user\s{1,3}\S{1,40}|wpa_passphrase\s{1,3}\S{1,60}|password-command[= ]["']?echo|rabbitmqctl\s{1,3}(?:add_user|change_password)\s{1,3}\S{1,60})[ \t=]{0,3}["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // The words of Dockerfiles and shells between a name and its value: `ENV NAME value`, `set -x NAME value`
  {
    hints: ['ENV ', 'Env ', 'set -', 'setenv ', 'setx ', 'cgi_param '],
    pattern:
      /^[ \t]{0,20}(?:ENV|SetEnv|fastcgi_param|set\s{1,3}-\w{1,4}|setenv|setx)\s{1,3}\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY|pass(?:word)?|secret|token|key)\w{0,20}\s{1,3}["']?(?<secret>[^\s"'`=;]{6,200})/gm,
  },
  // What is hashed, and the characters of a password in Java
  {
    hints: ['Hash::make(', 'crypt.', 'word_hash(', 'make_password(', 'ashpw(', 'Encoder', 'toCharArray'],
    pattern:
      /(?:\b(?:Hash::make|bcrypt\.\w{1,20}|(?:generate_)?password_hash|make_password|hashpw|[pP]asswordEncoder(?:\(\))?\.encode)\(\s{0,3}[bB]?["'](?<secret>[^"'\s]{6,100})["']|"(?<second>[^"\s]{6,100})"\.toCharArray\()/g,
  },
  // An administrator and a password: `("admin", "...")`, "`admin` / `...`"; or in one text: `x_auth = user:password`
  {
    hints: [
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
    ],
    pattern:
      /(?:["'`](?:admin|root|administrator|postgres|superuser)["'`]\s{0,3}(?:,|\/)\s{0,3}["'`](?<secret>(?=[^"'\s]{0,60}\d)[^"'`\s]{6,64})["'`]|\b(?:admin|root)\s\/\s(?<second>(?=\S{0,60}\d)[^"'`\s]{6,64})(?=\s|$)|_?auth_?\w{0,20}\s{0,2}[:=]\s{0,2}["']?[\w.@-]{1,40}:(?<third>(?=\S{0,60}\d)[^\s"'`:/]{6,64})(?=["']?(?:\s|$)))/g,
  },
  // A terminal session that is scripted, and a substitution of a file
  {
    hints: ['send ', '<(echo '],
    pattern:
      /(?:\bpass(?:word|phrase)[^\n]{0,40}\bsend\s{1,3}(?:--\s{1,3})?"|<\(echo\s{1,3}["']?)(?<secret>[^\s"'`\\)]{6,100})(?:\\[rn])?["')]/gi,
  },
  // SQL
  {
    hints: ['IDENTIFIED', 'PASSWORD', 'identified', 'password '],
    pattern: /\b(?:IDENTIFIED\s{1,4}BY|PASSWORD)\s{0,4}=?\s{0,4}N?'(?<secret>[^'\n]{6,200})'/gi,
  },
  // The password of a user in a list of arguments: `connect(url, "app", "password")`, `auth=("app", "password")`
  {
    hints: [
      ...[
        'onnection(',
        'onnect(',
        'mysqli',
        'PDO(',
        'redential',
        'uth(',
        'auth=',
        'auth =',
        'asic',
        'addlogin',
        'equelize(',
        '_bind_s(',
        'assword(',
        'Dialer(',
        'WiFi.begin(',
        'eyed(',
        'jwt.',
        'lient(',
      ],
      ...[
        'mac(',
        'ipher(',
        'ipheriv(',
        'ogin(',
        'uthenticate(',
        'ldap',
        '_bind(',
        'lient.new(',
        'atabase(',
        'ignWith(',
        'sign(',
      ],
    ],
    pattern:
      /(?:[cC]onnect(?:ion)?|mysqli|\bPDO|[cC]redentials?|[aA]uth\w{0,20}|\bauth\s{0,2}=\s{0,2}|jwt\.(?:sign|verify|encode|decode)|[hH]mac|[cC]ipher(?:iv)?|[lL]ogin|_bind|[cC]lient(?:\.new)?|[dD]atabase|[sS]ign(?:With)?|[bB]asic\w{0,12}|[sS]equelize|_bind\w{0,2}|[sS]et_?[pP]assword|[dD]ialer|WiFi\.begin|sp_addlogin(?=[( ]))[( ]\s{0,4}(?:[^()\n"'`]{0,60}|["'][^"'\n]{0,80}["'])(?:,\s{0,4}(?:[\w.$]{1,40}|["'][^"'\n]{0,80}["'])){0,3}?,\s{0,4}(?:\w{1,12}\()?["'](?<secret>(?=[^"'\s]{0,60}[\d!@#$%^&*+~])(?!\d{1,3}\.)(?![\w.+-]{1,40}@[\w-]{1,40}\.[a-z.]{2,10}["'])[^"'\s]{6,200})["']\)?\s{0,4}(?:[,)]|$)/gm,
  },
  // A row for a table with a password: `INSERT INTO users (name, password) VALUES ('ada', '...')`
  {
    hints: ['VALUES', 'values'],
    pattern:
      /\bINSERT\s{1,4}INTO\b[^;\n]{0,200}?pass(?:word|wd)?\b[^;\n)]{0,200}\)\s{0,4}VALUES\s{0,4}\([^;\n()]{0,200}?'(?<secret>(?=[^'\n]{0,60}\d)(?![^'\n]{0,60}@[\w-]{1,40}\.)[^'\s]{6,100})'/gi,
  },
  // Pairs: `stats auth user:password`, `ada@example.com:password`
  {
    hints: [' auth ', '.com:', '.org:', '.net:', '.test:', '.io:', '.de:', '.local:'],
    pattern:
      /(?:\bauth\s{1,4}[\w.-]{1,40}|[\w.+-]{1,40}@(?:[\w-]{1,40}\.){1,4}[a-z]{2,10}):(?<secret>[^\s"'`:/.]{6,64})(?=["'`]?[,;]?(?:\s|$))/g,
  },
  // The key of a cipher, as its first argument
  {
    hints: ['Fernet(', 'SecretKeySpec(', 'createSecretKey(', 'SignedString(', 'hmacShaKeyFor('],
    pattern:
      /\b(?:Fernet|SecretKeySpec|createSecretKey|SignedString|hmacShaKeyFor)\(\s{0,4}(?:\[\]byte\(|[bB])?["'](?<secret>[^"'\n]{8,200})["']/g,
  },
  // Oracle's `user/password@host`, and Go's `user:password@tcp(host)`
  {
    hints: ['thin:', 'sqlplus', '@tcp(', '@unix('],
    pattern:
      /(?:\bthin:|\bsqlplus\s{1,3}(?:-\w\s{1,3}){0,2})\w{1,60}\/(?<secret>[^@\s"'/]{6,100})@|["'`]\w{1,60}:(?<second>[^@\s"'`:]{6,100})@(?:tcp|unix)\(/g,
  },
  // Terraform: a variable with the name of a secret, and its default
  {
    hints: ['variable "'],
    pattern:
      /\bvariable\s{1,3}"[\w-]{0,60}(?:pass(?:word|wd|phrase)?|secret|token|key)[\w-]{0,20}"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,5}=\s{0,3}"(?<secret>[^"\n]{6,200})"/g,
  },
  // Headers and cookies
  {
    hints: [
      'uthorization',
      'ookie:',
      '-Token:',
      '-token:',
      '"Token:',
      "'Token:",
      'piKey:',
      'pikey:',
      'pi-key:',
      'pi-Key:',
      'uth-Key:',
    ],
    pattern:
      /\bAuthorization["']?\s{0,2}[:=,]\s{0,3}["']?(?:[A-Za-z][\w-]{2,20}\s{1,3})?(?<secret>[\w+/=.~:-]{16,300})|\bCookie:[^\n]{0,200}?\b\w{0,20}(?:sess|sid|auth|token)\w{0,20}=(?<second>[\w+/=.~%-]{16,300})|["'](?:[\w-]{1,30}-)?(?:api-?key|token|auth-?key):\s{0,3}(?<third>[\w+/=.~-]{10,300})["']/gi,
  },
];

export const PLACE_HINTS: readonly string[] = PLACES.flatMap(({ hints }) => hints);

/**
 * Finds passwords that follow a command, a directive or columns instead of a name and a sign.
 * @param present those of {@link PLACE_HINTS} that the text contains.
 */
export function findArguments(text: string, present: ReadonlySet<string>): SecretFinding[] {
  const places = PLACES.filter(({ hints }) => hints.some((hint) => present.has(hint)));
  return places.flatMap(({ pattern }) => {
    return [...text.matchAll(pattern)].flatMap((match) => {
      const secret = match.groups?.['secret'] ?? match.groups?.['second'] ?? match.groups?.['third'] ?? '';
      if (!isChosenPassword(secret)) return [];
      const start = match.index + match[0].lastIndexOf(secret);
      return [{ rule: 'password', start, end: start + secret.length }];
    });
  });
}
