import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { Api } from '../api/api.js';
import { type Role, type Schemas } from '../api/schema.js';

/** Kept until the tab is closed. */
const STORAGE_KEY = 'repotide.token';
const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export interface Session {
  api: Api;
  /** The token's name and role; null while unknown. */
  identity: Schemas['IdentityDto'] | null;
  can(role: Role): boolean;
  signOut: () => void;
}

export const SessionContext = createContext<Session | null>(null);

/** @throws when no user is signed in: views are shown within a session only. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('No user is signed in.');
  return session;
}

/** What the page sends: an API token, or the cookie of the session of a person. */
type Key = { token: string } | 'session' | null;

const ENDED = 'The token is unknown, expired or revoked.';
const SESSION_ENDED = 'Your session has ended. Sign in again.';

/**
 * @returns the session, the reason why the last one ended (null after a sign-out), whether it is still unknown if there is one,
 *   and a function that starts one with a token.
 */
export function useSessionState() {
  const [key, setKey] = useState<Key>(() => {
    const token = sessionStorage.getItem(STORAGE_KEY);
    return token === null ? null : { token };
  });
  const [isUnknown, setIsUnknown] = useState(key === null);
  const [notice, setNotice] = useState<string | null>(null);
  const [identity, setIdentity] = useState<Session['identity']>(null);

  const leave = (reason: string | null): void => {
    sessionStorage.removeItem(STORAGE_KEY);
    setKey(null);
    setIdentity(null);
    setNotice(reason);
  };
  useEffect(() => {
    if (key !== null) return;
    // Only the service can see whether the browser has the cookie of a session.
    void findSession()
      .then((person) => {
        if (person === null) return;
        setIdentity(person);
        setKey('session');
      })
      .finally(() => setIsUnknown(false));
  }, []);
  const api = useMemo(() => {
    if (key === null) return null;
    return key === 'session'
      ? new Api(null, () => leave(SESSION_ENDED))
      : new Api(key.token, () => leave(ENDED));
  }, [key]);
  useEffect(() => {
    // While the role is unknown, every action is offered, and the service refuses what is not allowed.
    api?.get('/api/v1/identity', {}).then(setIdentity, () => undefined);
  }, [api]);

  const signIn = (token: string): void => {
    sessionStorage.setItem(STORAGE_KEY, token);
    setNotice(null);
    setKey({ token });
  };
  const signOut = (): void => {
    if (key !== 'session') return leave(null);
    const ended = new Api(null, () => undefined).post('/auth/sign-out', {});
    void ended.catch(() => undefined).then(() => leave(null));
  };
  const can = (role: Role): boolean => identity === null || RANK[identity.role] >= RANK[role];
  const session: Session | null = api && { api, identity, can, signOut };
  return { session, notice, isUnknown, signIn };
}

/** The person of the browser's session; null without one. Null without a request where people cannot sign in. */
async function findSession(): Promise<Session['identity']> {
  const api = new Api(null, () => undefined);
  try {
    const { provider } = await api.get('/auth/options', {});
    return provider === null ? null : await api.get('/api/v1/identity', {});
  } catch {
    return null;
  }
}
