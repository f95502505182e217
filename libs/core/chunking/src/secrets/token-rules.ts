import { token, type SecretRule } from './secret-rule.js';

const CODE_HOSTS = [
  token(
    'gitlab-token',
    'gl',
    /\bgl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w-]{20,300}(?:\.[\w-]{2,60}){0,3}/g,
  ),
  token('gitlab-runner-token', 'GR1348941', /\bGR1348941[\w-]{20,}/g),
  token('github-token', 'gh|github_pat_', /\b(?:gh[pousr]_\w{36,255}|github_pat_\w{22,255})/g),
  token('bitbucket-token', 'ATBB|ATCTT3', /\b(?:ATBB[\w=-]{24,}|ATCTT3[\w=-]{60,})/g),
  token('atlassian-token', 'ATATT3', /\bATATT3[\w=-]{60,}/g),
];

const CLOUDS = [
  token('aws-access-key', 'AKIA|ASIA|ABIA|ACCA', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g),
  token('google-api-key', 'AIza', /\bAIza[\w-]{35}/g),
  token('google-oauth-secret', 'GOCSPX-', /\bGOCSPX-[\w-]{20,}/g),
  token('google-oauth-token', 'ya29.', /\bya29\.[\w-]{20,}/g),
  token(
    'azure-account-key',
    'AccountKey=|SharedAccessKey=',
    /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{42,88}={0,2})/g,
  ),
  token('azure-sas-signature', 'sig=', /[?&;]sig=(?<secret>[\w%+/-]{43,}(?:%3D|=))/gi),
  token('azure-client-secret', '8Q~', /(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}/g),
  token('digitalocean-token', '_v1_', /\bdo[opr]_v1_[0-9a-f]{64}/g),
  token('heroku-key', 'HRKU-', /\bHRKU-[\w-]{36,}/g),
  token('databricks-token', 'dapi', /\bdapi[0-9a-f]{32}/g),
  token('vault-token', 'hvs.|hvb.|hvr.', /\bhv[sbr]\.[\w-]{24,}/g),
  token('terraform-token', '.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}/g),
  token('docker-token', 'eyJhdXRocyI6', /\beyJhdXRocyI6[\w+/-]{20,4000}={0,2}/g),
  token('docker-token', 'dckr_', /\bdckr_(?:pat|oat)_[\w-]{20,}/g),
  token('tailscale-key', 'tskey-', /\btskey-[a-z]{3,10}-[\w-]{16,}/g),
  token('doppler-token', 'dp.', /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}/g),
  token('supabase-key', 'sbp_|sb_secret_', /\b(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})/g),
  token('planetscale-token', 'pscale_', /\bpscale_(?:tkn|pw|oauth)_[\w.-]{32,}/g),
];

const SERVICES = [
  token('repotide-token', 'rtd_|rts_', /\brt(?:d_[\w-]{32}|s_[\w-]{43})(?![\w-])/g),
  token('stripe-key', 'k_live_|k_test_', /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g),
  token('webhook-secret', 'whsec_', /\bwhsec_[A-Za-z0-9+/]{24,}={0,2}/g),
  token('slack-token', 'xox|xapp-', /\b(?:xox[a-z]|xapp)-(?:\d-)?[\w-]{20,}/g),
  token(
    'slack-webhook',
    'hooks.slack.com',
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[\w/-]{20,})/g,
  ),
  token('discord-token', '.', /\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,45}\b/g),
  token('discord-webhook', '/api/webhooks/', /\/api\/webhooks\/\d{15,20}\/(?<secret>[\w-]{50,})/g),
  token('telegram-token', ':AA', /(?<!\d)\d{8,10}:AA[\w-]{33}\b/g),
  token('twilio-key', 'SK', /\bSK[0-9a-f]{32}\b/g),
  token('sendgrid-key', 'SG.', /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g),
  token('mailgun-key', 'key-', /\bkey-[0-9a-f]{32}\b/g),
  token('mailchimp-key', '-us', /\b[0-9a-f]{32}-us\d{1,2}\b/g),
  token('openai-key', 'sk-', /\bsk-(?=[\w-]{0,60}\d)[\w-]{32,}/g),
  token('huggingface-token', 'hf_|api_org_', /\b(?:hf|api_org)_[A-Za-z0-9]{30,}/g),
  token('grafana-token', 'glsa_|glc_', /\b(?:glsa_\w{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})/g),
  token('sentry-token', 'sntry', /\bsntry[su]_[\w+/=-]{40,}/g),
  token('newrelic-key', 'NRAK-', /\bNRAK-[A-Z0-9]{27}/g),
  token('shopify-token', 'shp', /\bshp(?:at|ca|pa|ss)_[0-9A-Za-z]{32,64}/g),
  token('square-token', 'sq0|EAAA', /\b(?:sq0(?:atp|csp|idp)-[\w-]{22,}|EAAA[\w-]{60})/g),
  token('notion-token', 'ntn_', /\bntn_[A-Za-z0-9]{40,}/g),
  token('airtable-token', 'pat', /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}/g),
  token('figma-token', 'figd_', /\bfigd_[\w-]{40,}/g),
  token('linear-key', 'lin_', /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/g),
  token('facebook-token', 'EAA', /\bEAA[A-Z][A-Za-z0-9]{80,}/g),
  token('hubspot-token', 'pat-', /\bpat-(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g),
  token('posthog-key', 'phx_', /\bphx_[A-Za-z0-9]{40,}/g),
  token('typeform-token', 'tfp_', /\btfp_[\w=-]{40,}/g),
  token('contentful-token', 'CFPAT-', /\bCFPAT-[\w-]{43}/g),
  token('trello-token', 'ATTA', /\bATTA[0-9a-f]{64,}/g),
  token('brevo-key', 'xkeysib-', /\bxkeysib-[0-9a-f]{64}-\w{16}/g),
  token('mapbox-token', 'sk.eyJ', /\bsk\.eyJ[\w-]{20,}\.[\w-]{20,}/g),
  token('dropbox-token', 'sl.', /\bsl\.[\w-]{130,}/g),
  token(
    'onepassword-key',
    'A3-',
    /\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/g,
  ),
  token('postman-key', 'PMAK-', /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}/g),
];

const MODELS = [
  token('groq-key', 'gsk_', /\bgsk_[A-Za-z0-9]{40,}/g),
  token('xai-key', 'xai-', /\bxai-[A-Za-z0-9]{60,}/g),
  token('nvidia-key', 'nvapi-', /\bnvapi-[\w-]{50,}/g),
  token('replicate-token', 'r8_', /\br8_[A-Za-z0-9]{36,}/g),
  token('pinecone-key', 'pcsk_', /\bpcsk_\w{40,}/g),
  token('perplexity-key', 'pplx-', /\bpplx-[A-Za-z0-9]{40,}/g),
  token('runpod-key', 'rpa_', /\brpa_[A-Za-z0-9]{40,}/g),
  token(
    'langfuse-key',
    'lsv2_|sk-lf-',
    /\b(?:lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}|sk-lf-[0-9a-f-]{36})/g,
  ),
];

const DELIVERY = [
  token('circleci-token', 'CCIPAT_|CCIPRJ_', /\bCCIP(?:AT|RJ)_\w{22,}/g),
  token('buildkite-token', 'bk', /\bbk(?:ua|ct|a)_[0-9a-f]{40}/g),
  token('pulumi-token', 'pul-', /\bpul-[0-9a-f]{40}/g),
  token('netlify-token', 'nfp_', /\bnfp_[A-Za-z0-9]{36,}/g),
  token('render-key', 'rnd_', /\brnd_[A-Za-z0-9]{28,}/g),
  token('fly-token', 'fm', /\bfm[12][ar]?_[A-Za-z0-9+/=]{60,}/g),
  token('dynatrace-token', 'dt0', /\bdt0[a-z]\d{2}\.[A-Z2-7]{24}\.[A-Z2-7]{64}/g),
  token('sonar-token', 'sq', /\bsq[pua]_[0-9a-f]{40}/g),
  token('sourcegraph-token', 'sgp_', /\bsgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}/g),
  token('artifactory-token', 'AKCp|cmVmdGtu', /\b(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{56})/g),
  token('alibaba-access-key', 'LTAI', /\bLTAI[A-Za-z0-9]{16,24}\b/g),
  token('google-refresh-token', '1//0', /\b1\/\/0[\w-]{40,}/g),
  token('cloudflare-ca-key', 'v1.0-', /\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}/g),
];

/** Vendors whose tokens are only a prefix and random characters; the others have a rule each. */
const PREFIXES = [
  // A word of the vendor, the environment, and the token: `rzp_live_...`, `duffel_test_...`
  token(
    'vendor-token',
    '_live_|_prod_|_sandbox_|_test_',
    /\b(?!pk_|pub)[a-z]{2,12}_(?:live|prod|sandbox|test)_(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{12,100}\b/g,
  ),
  token(
    'vendor-token',
    'npg_|napi_|tvly-|rdme_|jina_|csk-',
    /\b(?:npg_|napi_|tvly-(?:\w{2,8}-)?|rdme_|jina_|csk-)(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{12,100}\b/g,
  ),
  token(
    'vendor-token',
    'AKID|AKLT|ALTAK-|EZAK|EZTK|AQVN|CLOJARS_|FLWSEC',
    /\b(?:AKID|AKLT|ALTAK-|EZ[AT]K|AQVN|CLOJARS_|FLWSEC\w{0,6}[-_])(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{20,120}(?:-X)?\b/g,
  ),
  // Prefixes that no word and no name of code has
  token(
    'vendor-token',
    'ABSK|p8e-|NRII-|NRJS-|NRIQ-|NRRA-|NRSP-|sm_pat_|sm_aat_|sm_sat_|zpka_|wv_|sgp_|ops_eyJ|sha256~|xoxe.|oauth:|FlyV1 ',
    /\b(?:ABSK[A-Za-z0-9+/=]{60,200}|p8e-[a-z0-9]{32}|NR(?:II|JS|IQ|RA|SP)-[\w-]{19,40}|sm_[as]?[ap]a?t_[A-Za-z0-9]{16}|zpka_[0-9a-f]{32}_[0-9a-f]{8}|wv_[A-Za-z0-9]{36,}|sgp_[A-Za-z0-9]{60,}|ops_eyJ[\w+/=-]{60,2000}|sha256~[\w-]{43}|xoxe\.xox[bp]-\d-[\w-]{60,}|oauth:[a-z0-9]{30}\b|FlyV1 fm\d[\w+/=,]{40,})/g,
  ),
  token('firebase-key', ':APA91b', /\bA{4}[\w-]{7}:APA91b[\w-]{100,200}/g),
  token(
    'paypal-token',
    'access_token$',
    /\baccess_token\$(?:production|sandbox)\$[a-z0-9]{10,20}\$[0-9a-f]{32}\b/g,
  ),
  token('rancher-token', 'token-', /\btoken-[a-z0-9]{5}:[a-z0-9]{54}\b/g),
  token('twitter-token', 'AAAAAAAAAAAAAAAAAAAAA', /\bA{21}[A-Za-z0-9%]{60,140}\b/g),
  token('vendor-token', 'pat.', /\bpat\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}\b/g),
  // Asana: digits, and hex digits after a colon
  token('vendor-token', '/12', /\b[12]\/\d{16}(?:\/\d{16})?:[0-9a-f]{32}\b/g),
  // Keys of Azure have a mark within them
  token(
    'azure-key',
    'AzSe|AzFu|ACDb|APIM|AZDO|+ASt|+ABa|+AMC|+AIo|AzCa|+AEh|+ARm|ACR|JQQJ99',
    /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{33,76}(?:AzSe[A-D]|AzFu|ACDb|APIM|AZDO|\+ASt|\+ABa|\+AMC|\+AIoT|AzCa|\+AEh|\+ARm|\+ACR|JQQJ99[A-Za-z0-9+/]{4,30}AAA)[A-Za-z0-9+/]{4,26}={0,2}/g,
  ),
  token(
    'zapier-webhook',
    'hooks.zapier.com',
    /hooks\.zapier\.com\/hooks\/catch\/(?<secret>\d{4,12}\/[a-z0-9]{5,12})/g,
  ),
  token(
    'teams-webhook',
    '.webhook.office.com/',
    /\.webhook\.office\.com\/webhookb2\/(?<secret>[\w@/-]{60,300})/g,
  ),
];

const PACKAGES = [
  token('npm-token', 'npm_', /\bnpm_[A-Za-z0-9]{36,}/g),
  token(
    'npm-auth',
    '_auth|_password',
    // In .npmrc, for a registry, or as an option; not a variable of that name.
    /(?:(?<=:|--|npm_config_)|^(?=\w{5,10}\s{0,4}=\s{0,4}["']?[A-Za-z+/=]{0,300}\d))(?:_authToken|_auth|_password)\s{0,4}=\s{0,4}["']?(?<secret>[\w+/=.~-]{8,300})(?=["']?(?:\s|$))/gm,
  ),
  token('pypi-token', 'pypi-', /\bpypi-[\w-]{50,}/g),
  token('rubygems-key', 'rubygems_', /\brubygems_[0-9a-f]{48}/g),
  token('nuget-key', 'oy2', /\boy2[a-z0-9]{43}\b/g),
  token('age-key', 'AGE-SECRET-KEY-', /\bAGE-SECRET-KEY-1[0-9A-Z]{58}/g),
];

const KEYS = [
  // DER in base64 without the lines of PEM: PKCS 1, 8 and 12, SEC 1, Ed25519
  token(
    'private-key',
    'IBADAN|IBAAK|IBAAJ|AgEDM|CAQEEI|AgEAMBMG|QAwBQYDK2Vw|QAwEwYH',
    /(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{3}(?:IBADAN|IBAA[JK]|AgEDM)|MHcCAQEEI|MHQCAQEEI|MIGHAgEAMBMG|MEECAQAwEwYH|MC4CAQAwBQYDK2Vw)(?:[A-Za-z0-9+/]{16,20000}={0,2}(?:(?:\\n|["'+\s]){1,40}(?=[A-Za-z0-9+/]{16}))?){1,300}/g,
  ),
  token(
    'seed-phrase',
    'mnemonic|Mnemonic|MNEMONIC|phrase|Phrase|PHRASE',
    /(?:mnemonic|(?:seed|recovery|secret)[ _-]?phrase)\w{0,10}["'`)]{0,2}\s{0,3}(?:[:=(]|is)\s{0,3}["'`]?(?<secret>[a-z]{3,8}(?: {1,2}[a-z]{3,8}){11,23})\b/gi,
  ),
];

const PROTOCOLS = [
  // Begins where a run of its characters begins, so that each run is read once. After a hyphen only the rest is found.
  token('jwt', 'eyJ', /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g),
  token('jwt', '-eyJ', /\.(?=eyJ)(?<=-eyJ[\w-]{10,}\.)eyJ[\w-]{10,}\.[\w-]{10,}/g),
  token(
    'authorization-header',
    'earer |asic |oken ',
    /\b(?:Bearer|Basic|Token)\s{1,4}(?<secret>(?=[\w+/=.~-]{0,60}\d)[\w+/=.~-]{20,})/gi,
  ),
  // Up to the last @ before a host, because passwords contain any sign. Not a port and a path: `//host:8080/@scope`.
  token(
    'url-password',
    '://',
    /:\/\/[^\s:/@'"`<>]{0,100}:(?<secret>(?!\d{1,5}\/|\$\{|\$\(|\$[A-Za-z_]\w{0,60}@|%[sv(]|\{)[^\s'"`<>]{3,200}?)@(?![^\s'"`<>/]{0,200}@)(?=[\w.[$%{-])/g,
  ),
];

/** Increase it when a rule in this folder changes: indexed files are then scanned again. */
export const OWN_RULES_VERSION = 11;

/** Secrets with a known format, from the vendors' documentation. */
export const TOKEN_RULES: readonly SecretRule[] = [
  CODE_HOSTS,
  CLOUDS,
  SERVICES,
  MODELS,
  DELIVERY,
  PREFIXES,
  PACKAGES,
  KEYS,
  PROTOCOLS,
].flat();
