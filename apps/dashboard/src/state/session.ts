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

/** @returns the session, the reason why the last one ended (null after a sign-out), and a function that starts one. */
export function useSessionState() {
  const [token, setToken] = useState(() => sessionStorage.getItem(STORAGE_KEY));
  const [notice, setNotice] = useState<string | null>(null);
  const [identity, setIdentity] = useState<Session['identity']>(null);

  const leave = (reason: string | null): void => {
    sessionStorage.removeItem(STORAGE_KEY);
    setToken(null);
    setIdentity(null);
    setNotice(reason);
  };
  const api = useMemo(
    () => (token === null ? null : new Api(token, () => leave('The token is unknown, expired or revoked.'))),
    [token],
  );
  useEffect(() => {
    // While the role is unknown, every action is offered, and the service refuses what is not allowed.
    api?.get('/api/v1/identity', {}).then(setIdentity, () => undefined);
  }, [api]);

  const signIn = (given: string): void => {
    sessionStorage.setItem(STORAGE_KEY, given);
    setNotice(null);
    setToken(given);
  };
  const can = (role: Role): boolean => identity === null || RANK[identity.role] >= RANK[role];
  const session: Session | null = api && { api, identity, can, signOut: () => leave(null) };
  return { session, notice, signIn };
}
