import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import { type components, type paths } from './schema.js';

export type RepotideClient = Client<paths>;

/** The shapes of requests and answers, by the names that the API document gives them. */
export type Schemas = components['schemas'];

export interface RepotideClientOptions extends Pick<ClientOptions, 'fetch' | 'signal'> {
  /** Where the service listens, such as `https://repotide.example.com`. */
  baseUrl: string;
  /** An API token; its role decides what is answered. */
  token: string;
}

/**
 * A typed client of Repotide's API. A call answers `{ data, error, response }`: `error` holds the problem details of an
 * answer that is no success; only a request without any answer throws.
 */
export function createRepotideClient({ token, ...options }: RepotideClientOptions): RepotideClient {
  return createClient<paths>({ ...options, headers: { Authorization: `Bearer ${token}` } });
}
