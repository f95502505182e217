import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { Api } from '../api/api.js';
import { type Role } from '../api/answers.js';

/** The browser forgets it with the tab. */
const STORAGE_KEY = 'repotide.token';
const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export interface Session {
  api: Api;
  /** The token's name and role; null while unknown. */
  identity: Identity | null;
  can(role: Role): boolean;
  signOut: () => void;
}

export interface Identity {
  name: string;
  role: Role;
}

export const SessionContext = createContext<Session | null>(null);

/** @throws outside of a session: a view shows only within one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session.');
  return session;
}

export interface SessionState {
  session: Session | null;
  /** Why the last session ended, when it was not by choice. */
  notice: string | null;
  signIn: (token: string) => void;
}

export function useSessionState(): SessionState {
  const [token, setToken] = useState(() => sessionStorage.getItem(STORAGE_KEY));
  const [notice, setNotice] = useState<string | null>(null);
  const [identity, setIdentity] = useState<Identity | null>(null);

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
    // While the role is unknown, it is the service that refuses, in words.
    api?.get<Identity>('api/v1/identity').then(setIdentity, () => undefined);
  }, [api]);

  const signIn = (given: string): void => {
    sessionStorage.setItem(STORAGE_KEY, given);
    setNotice(null);
    setToken(given);
  };
  const can = (role: Role): boolean => identity === null || RANK[identity.role] >= RANK[role];
  const session = api && { api, identity, can, signOut: () => leave(null) };
  return { session, notice, signIn };
}
