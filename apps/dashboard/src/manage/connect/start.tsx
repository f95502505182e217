import { type Api } from '../../api/api.js';
import { readersZone } from '../../parts/format.js';
import { Form, type Values } from '../forms/form.js';
import { TimingFields } from '../schedules/timing-fields.js';
import { type Choice } from './choose.js';
import { type Connection } from './host.js';

interface StartProps {
  connection: Connection;
  choice: Choice;
  onBack: () => void;
  onDone: () => void;
}

/** Asks how often to sync, and registers what was chosen. */
export function Start({ connection, choice, onBack, onDone }: StartProps) {
  const words =
    choice.kind === 'group'
      ? `Each project of ${choice.groupPath} gets this schedule.`
      : `Each of the ${choice.paths.length} projects gets this schedule.`;
  return (
    <div class="panel">
      <Form
        submitLabel="Register and sync"
        done="Registered. The first syncs start."
        onCancel={onBack}
        onDone={onDone}
        act={(api, values) => register(api, connection, choice, values)}
      >
        <p>{words} Pushes sync it too, once a webhook is set.</p>
        <TimingFields expression="H * * * *" timezone={readersZone()} />
      </Form>
    </div>
  );
}

async function register(
  api: Api,
  { baseUrl, credentialId }: Connection,
  choice: Choice,
  { cron_expression = '', timezone = '' }: Values,
): Promise<void> {
  const host = {
    ...(baseUrl && { base_url: baseUrl }),
    ...(credentialId && { credential_id: credentialId }),
  };
  if (choice.kind === 'group') {
    const body = { ...host, group_path: choice.groupPath, schedule: { cron_expression, timezone } };
    await api.post('/api/v1/discoveries', { body });
    return;
  }
  for (const project_path of choice.paths) {
    const { id } = await api.post('/api/v1/repositories', { body: { ...host, project_path } });
    await api.post('/api/v1/schedules', { body: { repository_id: id, cron_expression, timezone } });
  }
}
