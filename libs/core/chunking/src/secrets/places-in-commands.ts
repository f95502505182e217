import { place, type SecretRule } from './secret-rule.js';

/** After the commands and options of shells. */
export const COMMAND_PLACES: readonly SecretRule[] = [
  // `curl -u user:password`, `wget --user=a:b`, also on a continued line, and with quotes around each part
  place(
    'curl | --user|lftp ',
    /(?:\b(?:curl|http|wget|lftp)\b(?:[^\n\\]|\\[^\n]?|\\\r?\n){0,300}?\s(?:-u|--user)|\s--user)[ =]{0,5}["']?[\w.@+-]{0,64}[:,]["']?(?<secret>[^\s"'`]{6,200})/g,
  ),
  // `sshpass -p password`, `mysql -ppassword`
  place(
    'sshpass|mysql|mariadb',
    /\b(?:sshpass\s{1,3}-p\s{0,3}|(?:mysql|mariadb)[\w-]{0,10}\b[^\n]{0,100}?\s-p)["']?(?<secret>[^\s"'`]{6,200})/g,
  ),
  // PowerShell
  place(
    'SecureString|securestring',
    /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?(?:["'](?<secret>[^"'\n]{6,200})["']|(?<second>[^\s"'$(-][^\s"']{5,200}))/gi,
  ),
  // The user before the password in one argument: `smbclient -U user%password`, `echo user:password | chpasswd`
  place(
    'smb|chpasswd|rpcclient|mount.cifs',
    /\b(?:(?:smb\w{3,8}|rpcclient)\b[^\n]{0,100}?(?:-U|--user)[ =]?["']?[\w\\.-]{1,60}%|echo\s{1,3}(?:-\w\s{1,3})?["']?[\w.-]{1,40}:(?=[^\n|]{1,100}\|\s{0,3}(?:sudo\s{1,3})?chpasswd))(?<secret>[^\s"'`|]{5,200})/g,
  ),
  // A password from `echo` for a command that reads it: `echo password | sudo -S`
  place(
    'echo |printf |<<<',
    /\b(?:echo|printf)\s{1,3}(?:-\w{1,2}\s{1,3}|['"]%s(?:\\n)?['"]\s{1,3}){0,2}["']?(?<secret>[^\s"'`|]{5,200})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3}(?:-S|--stdin)|(?:sudo\s{1,3})?(?:passwd\b|kinit\b|cryptsetup\b|openconnect\b|gpg\b|su\b)|(?:docker|podman|gcloud|wrangler|gh|fly(?:ctl)?)\s{1,3}secrets?\s|[\w./-]{1,30}\s[^\n|]{0,80}--?(?:password|passphrase|token|pass)[\w-]{0,8}-?(?:stdin|fd))/g,
  ),
  // `htpasswd -b file user password`, `vault login token`, `rootpw password`
  place(
    'htpasswd |vault login |rootpw |login ',
    /\b(?:htpasswd\s{1,3}-\w{0,5}b\w{0,5}\s{1,3}\S{1,100}\s{1,3}\S{1,60}|htpasswd\s{1,3}-\w{0,5}n\w{0,5}b\w{0,5}\s{1,3}\S{1,60}|vault\s{1,3}login(?:\s{1,3}-[\w=-]{1,40}){0,3}|rootpw\s{1,3}(?:--plaintext)?)\s{1,3}["']?(?:token=)?(?<secret>[^\s"'`|=]{5,200})/g,
  ),
  // An option of any command: `--password value`, `--api-key value`, `-storepass value`
  place(
    ' --|\n--|pass |-pw |-Password |/rp |/pass:',
    /\s(?:(?:--[\w-]{0,20}|-\w{0,12}(?=pass|pw)|-(?=Password ))(?:[Pp]ass(?:word|wd|phrase|in|out)?|pwd?|[_-]?secret|token|bearer|(?:api|access|auth|private|account|signing)[_-]?key)[ \t]{1,4}|\/(?:rp[ \t]|pass:))["']?(?<secret>[^\s"'`=-][^\s"'`]{4,200})/gi,
  ),
  // A short option of a command that takes a password there
  place(
    ' login |redis-cli|openssl |ldap|net use|net user|wpa_passphrase |word-command|rabbitmqctl|mosquitto_|sqlcmd|osql|bcp |isql|zip |7z |useradd|usermod|cqlsh|clickhouse|mongo|ftp |snmp|ipmitool|xfreerdp|ssh-keygen',
    /\b(?:(?:docker|podman|skopeo|buildah|crane|oras|helm|az|oc)\b[^\n]{0,100}?\blogin\b[^\n]{0,100}?\s-p|redis-cli\b[^\n]{0,100}?\s-a|openssl\b[^\n]{0,100}?\s-(?:k|K|pass(?:in|out)?\s{1,3}pass:)|ldap\w{3,10}\b[^\n]{0,150}?\s-w|mosquitto_\w{3}\b[^\n]{0,100}?\s-P|(?:sqlcmd|osql|bcp|isql)\b[^\n]{0,100}?\s-P|(?:un)?zip\b[^\n]{0,60}?\s-P|7z\s[^\n]{0,60}?\s-p|user(?:add|mod)\b[^\n]{0,60}?\s-p|(?:cqlsh|mongo\w{0,8})\b[^\n]{0,100}?\s-p|ipmitool\b[^\n]{0,80}?\s-P|snmp\w{3,6}\b[^\n]{0,60}?\s-[AXc]|xfreerdp\b[^\n]{0,80}?\s\/p:|ssh-keygen\b[^\n]{0,100}?\s-[NP]|net use\b[^\n]{0,100}?\s\/user:\S{1,60}|net use\b[^\n]{0,40}?\s\\\\\S{1,80}(?!\s{1,3}\/)|net user\s{1,3}\S{1,40}|wpa_passphrase\s{1,3}\S{1,60}|password-command[= ]["']?echo|rabbitmqctl\s{1,3}(?:add_user|change_password)\s{1,3}\S{1,60})[ \t=]{0,3}["']?(?<secret>[^\s"'`]{6,200})/g,
  ),
  // The option of a secret store: `az keyvault secret set --value ...`, `aws ssm put-parameter --type SecureString --value ...`
  place(
    ' --value| --body| --secret-string| -b ',
    /\b(?:secrets?\s{1,3}(?:set|create|put|add|update)|(?:create|put|update)-secret(?:-value)?|put-parameter\b(?=[^\n]{0,200}(?:SecureString|pass|secret|token|key)))(?:[^\n\\]|\\\r?\n|\\[^\n]?){0,200}?\s(?:--(?:value|body|secret-string)|-b)[ =]{1,3}["']?(?<secret>[^\s"'`=-][^\s"'`]{4,200})/g,
  ),
  // A setting with a value after its name: `redis-cli config set requirepass ...`, `poetry config http-basic.name user ...`
  place(
    'config set|http-basic|user-secrets set|requirepass |masterauth ',
    /\b(?:(?:config|user-secrets)\s{1,3}set\s{1,3}(?:--?\S{1,40}\s{1,3}){0,3}["']?[\w./:@-]{0,80}(?:pass(?:word|wd|phrase)?|secret|token|key)["']?|http-basic\.\S{1,60}\s{1,3}\S{1,60}|requirepass|masterauth)\s{1,3}["']?(?<secret>[^\s"'`=-][^\s"'`]{4,200})/gi,
  ),
  // Passwords after a user: `-u user -p password` of any command
  place(
    ' -u| --user',
    /\s(?:-u|--user(?:name)?)[ =:]?["']?[\w.@\\-]{1,60}["']?\s{1,3}-p[ =:]?["']?(?<secret>[^\s"'`]{6,200})/g,
  ),
  // The last argument of a command: `ansible-vault encrypt_string password`, `openssl passwd password`, `isql source user password`
  place(
    'encrypt_string|mc alias|mc config|openssl passwd|isql |signtool|snmp|passwd',
    /\b(?:mc\s{1,3}(?:alias\s{1,3}set|config\s{1,3}host\s{1,3}add)(?:\s{1,3}\S{1,100}){3}|encrypt_string(?:\s{1,3}--?[\w-]{1,40}[= ]\S{1,60}){0,4}|openssl\s{1,3}passwd(?:\s{1,3}-\w{1,12}(?:\s{1,3}\S{1,20}(?=\s{1,3}-))?){0,4}|isql(?:\s{1,3}[\w.-]{1,40}){2}|signtool\b[^\n]{0,160}?\s\/p|snmp\w{3,6}\b[^\n]{0,160}?\s-X|\w{0,12}passwd\b[^\n|;]{0,40}<<<)\s{1,3}["']?(?<secret>[^\s"'`=/-][^\s"'`)]{4,200})/g,
  ),
  // The words of Dockerfiles and shells between a name and its value: `ENV NAME value`, `set -x NAME value`
  place(
    'ENV |Env |set -|setenv |setx |cgi_param ',
    /^[ \t]{0,20}(?:ENV|SetEnv|fastcgi_param|set\s{1,3}-\w{1,4}|setenv|setx)\s{1,3}\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY|pass(?:word)?|secret|token|key)\w{0,20}\s{1,3}["']?(?<secret>[^\s"'`=;]{6,200})/gm,
  ),
  // A terminal session that is scripted, and a substitution of a file
  place(
    'send |<(echo ',
    /(?:\bpass(?:word|phrase)[^\n]{0,40}\bsend\s{1,3}(?:--\s{1,3})?"|<\(echo\s{1,3}["']?)(?<secret>[^\s"'`\\)]{6,100})(?:\\[rn])?["')]/gi,
  ),
];
