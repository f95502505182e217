import { type Answer, jsonAnswer } from '../http/answer.js';
import { notFound, problem } from './api-problem.js';

/** A person. GitLab shows `external` to administrators. */
export interface StandInUser {
  state: 'active' | 'blocked' | 'deactivated';
  external?: boolean;
}

/** `GET /users/:id`. */
export function showUser(users: ReadonlyMap<number, StandInUser>, id: string): Answer {
  if (!/^\d+$/.test(id)) throw problem(400, { error: 'id is invalid' });
  const user = users.get(Number(id));
  if (user === undefined) throw notFound('User');
  const username = `user-${id}`;
  return jsonAnswer(200, { id: Number(id), username, name: username, locked: false, ...user });
}
