import { type Schemas } from '../../api/schema.js';
import { Instant, Section } from '../../parts/elements.js';
import { NumberField, Select } from '../../parts/forms.js';
import { Loadable } from '../../parts/loadable.js';
import { useApi } from '../../state/use-load.js';
import { Form } from '../forms/form.js';

type Setting = Schemas['SettingDto'];

/** The settings that every pod reads at each use, so that a change needs no restart. */
export function ServiceSettings() {
  const settings = useApi('/api/v1/settings', {});
  return (
    <Section title="Settings of the service">
      <Loadable of={settings}>
        {({ items }) => <SettingsForm settings={items} onDone={settings.reload} />}
      </Loadable>
    </Section>
  );
}

function SettingsForm({ settings, onDone }: { settings: readonly Setting[]; onDone: () => void }) {
  const named = (name: string): Setting | undefined => settings.find((setting) => setting.name === name);
  const isPaused = named('scheduling_paused')?.value === true;
  const longest = named('max_run_seconds')?.value;
  const revision = settings.reduce((sum, setting) => sum + setting.revision, 0);
  return (
    <div class="panel">
      <Form
        // A change by someone else replaces the values.
        key={revision}
        submitLabel="Save"
        done="Settings saved. Every pod obeys them at once."
        onDone={onDone}
        act={(api, { scheduling_paused, max_run_seconds = '' }) =>
          api.patch(
            '/api/v1/settings',
            {
              body: {
                scheduling_paused: scheduling_paused === 'true',
                max_run_seconds: max_run_seconds === '' ? null : Number(max_run_seconds),
              },
            },
            revision,
          )
        }
      >
        <div class="hinted">
          <Select
            label="Schedules"
            name="scheduling_paused"
            value={String(isPaused)}
            options={[
              ['false', 'run'],
              ['true', 'are all paused'],
            ]}
          />
          <p class="hint">
            While they are paused no tick runs, and missed ticks are not run one by one afterwards. Runs in
            progress continue; syncs on request and pushes still run.
          </p>
          <Changed setting={named('scheduling_paused')} />
        </div>
        <div>
          <NumberField
            label="Longest run, in seconds"
            name="max_run_seconds"
            value={typeof longest === 'number' ? longest : null}
            hint="Empty: MAX_RUN_SECONDS of each pod. It applies to runs that start from now on. A run that reaches it ends, and the next one continues from what is stored."
          />
          <Changed setting={named('max_run_seconds')} />
        </div>
      </Form>
    </div>
  );
}

function Changed({ setting }: { setting: Setting | undefined }) {
  if (!setting?.updated_at) return null;
  return (
    <p class="hint">
      Changed by {setting.updated_by} <Instant at={setting.updated_at} />
    </p>
  );
}
