/** What messages say of a kind of code host. */
export interface HostWords {
  /** e.g. `GitLab`. */
  name: string;
  /** The settings of the token and of the address. */
  tokenSetting: string;
  addressSetting: string;
  /** Added for a request without a token. */
  noToken: string;
  /** What the token needs. */
  scope: string;
  access: string;
}

/** The hint of an error whose request had no token. */
export const NO_TOKEN =
  'no token was sent. Set GITLAB_TOKEN for the host of GITLAB_URL. For another host store a credential, and set it as ' +
  "the repository's credential_id. The token needs the scope read_api.";

export const GITLAB_WORDS: HostWords = {
  name: 'GitLab',
  tokenSetting: 'GITLAB_TOKEN or the credential of the repository',
  addressSetting: 'GITLAB_URL',
  noToken: NO_TOKEN,
  scope: 'read_api',
  access: 'Its user needs the Reporter role or higher in the project.',
};

export const GIT_HOST_WORDS: HostWords = {
  name: 'The git host',
  tokenSetting: 'the credential of the repository',
  addressSetting: 'the URL of the repository',
  noToken:
    "no token was sent. Store a credential for the host, with a token that may read the code, and set it as the repository's credential_id.",
  scope: 'read access to the code',
  access: 'Its user needs read access to the code.',
};
