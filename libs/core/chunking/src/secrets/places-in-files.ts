import { place, type SecretRule } from './secret-rule.js';

/** In files of credentials and configuration, headers, notes and tables. */
export const FILE_PLACES: readonly SecretRule[] = [
  // .pgpass: host, port, database and user before the password
  place(
    '1:|2:|3:|4:|5:|6:|7:|8:|9:|0:|*:',
    /^[\w.*-]{1,100}:(?:[1-6]\d{3,4}|\*):[\w*.-]{1,63}:[\w*.-]{1,63}:(?<secret>[^\s:]{6,200})$/gm,
  ),
  // Prose: `the password is ...`, `password: ... ` after other words
  place(
    'assword |assphrase |asswort ',
    /\bpass(?:word|phrase|wort)\s{1,3}(?:(?:is|was|to|ist|lautet)\s{0,2}[:=]?\s{1,3}|[:=]\s{1,3})?["'`(]?(?<secret>(?=[^\s]{0,30}\d)(?=[^\s]{0,30}(?:[A-Z]|[!@#$%^&*+]))[A-Za-z0-9!@#$%^&*+=?_~-]{8,64}?)(?=["'`)]?[.,;]?(?:\s|$))/gi,
  ),
  // Notes: `PW: ...`, `(pw:...)`, `pwd(...)`, `password for ada: ...`, `password in staging is ...`
  place(
    'PW|pw|wd:|wd(|WD:|assword for |assword of |assword in ',
    /(?<![\w$.-])(?:(?:pwd?|PWD?)(?:\)|\s{0,2}[:(]\s{0,2}|<\/?b>:?\s)|[Pp]assword (?:for|of|in|on) [\w.@-]{1,40}\s{0,2}(?::|is)\s{1,3})["'`]?(?<secret>(?=\S{0,30}\d)[A-Za-z0-9!@#$%^&*+=?_.~-]{7,64}?)(?=["'`)\]]{0,2}[.,;]?(?:\s|$|<))/g,
  ),
  // A cell of a table, or marked text: `| password | ... |`, `Password: **...**`
  place(
    [
      'assword |',
      'assword` |',
      'ASSWORD |',
      'ASSWORD` |',
      'assword: *',
      'assword:*',
      'assword: `',
      'assword:** ',
    ],
    /pass(?:word|wd|phrase)[`*]{0,2}(?:[ \t]{0,30}\|[ \t]{0,8}[`*]{0,2}(?=[^|\s]{6,66}[ \t]{0,30}\|)|:[`* ]{1,4})(?<secret>(?=[^\s|]{0,30}\d)[A-Za-z0-9!@#$%^&*+=?_.~-]{6,64}?)(?=[`*]{0,3}[.,]?(?:\s|$))/gi,
  ),
  // A directive of a configuration file: `requirepass ...`, `BindPassword ...`
  place(
    'ass |ass\t|word |word\t|WORD |asswd |phrase |pw |auth |cret |CRET ',
    /^[ \t]{0,20}(?:set[ \t])?[\w.-]{0,40}(?:pass(?:word|wd|phrase)?|bind_?pw|rootpw|masterauth|secret)[ \t]{1,8}["']?(?<secret>[^\s"'=:]{6,200})["']?[ \t]{0,8}$/gim,
  ),
  // A line of a network device: `username ada password 0 ...`, `enable secret ...`, `tacacs-server key ...`
  place(
    'enable |username |neighbor |ommunity |tacacs|radius|ppp ',
    /^[ \t]{0,20}(?:enable|user(?:name)?[ \t]\S{1,40}(?:[ \t]privilege[ \t]\d{1,2})?|neighbor[ \t]\S{1,40}|ppp[ \t]\w{1,10}|snmp\S{0,20}|(?:tacacs|radius)\S{0,20}(?:[ \t]host[ \t]\S{1,60})?)[ \t]{1,3}(?:password|secret|key|community)[ \t]{1,3}(?:\d[ \t]{1,3})?["']?(?<secret>[^\s"'=:]{6,200})["']?(?:[ \t]{1,3}R[OW])?[ \t]{0,8}$/gim,
  ),
  // A key of a network device, the passwords of users in cloud-init
  place(
    'isakmp key|plain-text-password-value|authentication-key|pre-shared-key|chpasswd:',
    /(?:\b(?:isakmp key(?:[ \t][06])?|plain-text-password-value|authentication-key|pre-shared-key(?:[ \t]\w{5}-text)?)[ \t]{1,3}["']?|\bchpasswd:[ \t]{0,4}\n(?:[^\n]{0,80}\n){0,4}?[ \t]{2,20}(?:-[ \t]{1,3})?[\w-]{1,32}:(?! ))(?<secret>[^\s"';:]{6,200})/g,
  ),
  // A token in prose: `the token for staging is ...`
  place(
    ' is | is: ',
    /\b(?:[Tt]oken|[Ss]ecret|(?:API |api |access )?[Kk]ey)\b[^\n.:;=]{0,40}? is:?\s{1,3}["'`]?(?<secret>(?=\S{0,60}\d\S{0,60}\d)(?=\S{0,60}[a-z])(?=\S{0,60}[A-Z])[A-Za-z0-9_-]{20,100})(?=["'`]?[.,;]?(?:\s|$))/g,
  ),
  // .netrc
  place('login |login\t', /\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?<secret>\S{6,200})/g),
  // A user and a password below a name for both: `Credentials: ada / ...`, `creds: "ada:..."`
  place(
    'redentials:|creds:|/password:|ogin: |AuthIdent|BUNDLE_',
    /(?:\b(?:cred(?:entia)?ls?|creds|login|user(?:name)?\s?\/\s?pass(?:word)?)[`*"']{0,3}\s{0,2}[:=]\s{0,3}[`*"']{0,3}[\w.@+-]{1,40}(?:\s?\/\s?|:(?!\/))|\b(?:BUNDLE_\w{3,60}|\w{0,20}AuthIdent)["']?:\s{0,3}["']?[\w.@-]{1,40}:)[`*"']{0,3}(?<secret>(?=[^\s"'`]{0,60}\d)[^\s"'`:/|]{6,100})(?=[`*"']{0,3}[.,;)]?(?:\s|$))/gi,
  ),
  // Pairs: `stats auth user:password`, `ada@example.com:password`
  place(
    ' auth |.com:|.org:|.net:|.test:|.io:|.de:|.local:',
    /(?:\bauth\s{1,4}[\w.-]{1,40}|[\w.+-]{1,40}@(?:[\w-]{1,40}\.){1,4}[a-z]{2,10}):(?<secret>[^\s"'`:/.]{6,64})(?=["'`]?[,;]?(?:\s|$))/g,
  ),
  // Headers and cookies
  place(
    [
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
    /\bAuthorization["']?\s{0,2}[:=,]\s{0,3}["']?(?:[A-Za-z][\w-]{2,20}\s{1,3})?(?<secret>[\w+/=.~:-]{16,300})|\bCookie:[^\n]{0,200}?\b\w{0,20}(?:sess|sid|auth|token)\w{0,20}=(?<second>[\w+/=.~%-]{16,300})|["'](?:[\w-]{1,30}-)?(?:api-?key|token|auth-?key):\s{0,3}(?<third>[\w+/=.~-]{10,300})["']/gi,
  ),
];
