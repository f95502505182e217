import { createRepotideClient } from './client.js';

const { URL: baseUrl = 'http://localhost:3000', TOKEN: token = '', PROJECT = 'demo/project' } = process.env;
const repotide = createRepotideClient({ baseUrl, token });

const registered = await repotide.POST('/api/v1/repositories', { body: { project_path: PROJECT } });
if (registered.error) throw new Error(`${registered.error.code}: ${registered.error.detail}`);
const { id } = registered.data;

const started = await repotide.POST('/api/v1/repositories/{id}/sync', { params: { path: { id } } });
if (started.error) throw new Error(`${started.error.code}: ${started.error.detail}`);

// The stream ends with the run. Each event is of type Schemas['ProgressDto'].
const events = await repotide.GET('/api/v1/executions/{id}/events', {
  params: { path: { id: started.data.execution_id } },
  parseAs: 'stream',
});
const parts: AsyncIterable<Uint8Array> | Uint8Array[] = events.data ?? [];
for await (const part of parts) process.stderr.write(part);

const found = await repotide.POST('/api/v1/search', { body: { query: 'settings', repository_ids: [id] } });
for (const { path, start_line, end_line } of found.data?.items ?? []) {
  console.log(`${path}:${start_line}-${end_line}`);
}
