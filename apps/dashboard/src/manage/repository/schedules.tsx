import { type Schemas } from '../../api/schema.js';
import { ActionButton, RemoveButton } from '../../parts/action-button.js';
import { Instant } from '../../parts/elements.js';
import { formatNumber, readersZone } from '../../parts/format.js';
import { NumberField } from '../../parts/forms.js';
import { Empty, LoadableList } from '../../parts/loadable.js';
import { useSession } from '../../state/session.js';
import { useApi } from '../../state/use-load.js';
import { DeclaredConsent, DeclaredMark, undoneByApply, useDeclarations } from '../forms/declared.js';
import { DialogButton, FormDialog } from '../forms/form.js';
import { Ticks, TimingFields } from '../schedules/timing-fields.js';

type Schedule = Schemas['ScheduleDto'];

const POLL_MS = 15_000;

/** The schedules of a repository, with what they mean and their next ticks. */
export function Schedules({ repositoryId, name }: { repositoryId: string; name: string }) {
  const query = { repository_id: repositoryId, limit: 100 } as const;
  const schedules = useApi('/api/v1/schedules', { query }, POLL_MS);
  const isAdmin = useSession().can('admin');
  return (
    <>
      {isAdmin && (
        <p>
          <DialogButton label="Add a schedule" class="primary">
            <ScheduleDialog {...{ repositoryId }} schedule={null} onDone={schedules.reload} />
          </DialogButton>
        </p>
      )}
      <LoadableList
        of={schedules}
        empty={<Empty title="No schedule.">It runs on request and on pushes only.</Empty>}
      >
        {(items) => (
          <ul class="cards">
            {items.map((schedule) => (
              <Card key={schedule.id} schedule={schedule} name={name} onDone={schedules.reload} />
            ))}
          </ul>
        )}
      </LoadableList>
    </>
  );
}

function Card({ schedule, name, onDone }: { schedule: Schedule; name: string; onDone: () => void }) {
  const { id, repository_id, cron_expression, timezone, is_active, next_ticks, last_sync_at } = schedule;
  const isAdmin = useSession().can('admin');
  const declaration = useDeclarations({ resource_id: id }).get(id);
  const subject = `schedule ${cron_expression} of ${name}`;
  return (
    <li class="panel">
      <div class="row between">
        <h3>
          <DeclaredMark of={<code>{cron_expression}</code>} declaration={declaration} />
        </h3>
        {!is_active && <strong>paused</strong>}
      </div>
      <Ticks expression={cron_expression} timezone={timezone} ticks={next_ticks} />
      <p class="faint">
        Last synced <Instant at={last_sync_at} />. Budgets: {budgetsOf(schedule)}.
      </p>
      <div class="row foot">
        <ActionButton
          label={is_active ? 'Pause' : 'Resume'}
          subject={subject}
          role="operator"
          done={is_active ? 'paused.' : 'resumed.'}
          act={(api) =>
            api.post(`/api/v1/schedules/{id}/${is_active ? 'pause' : 'resume'}`, { path: { id } })
          }
          onDone={onDone}
        />
        {isAdmin && (
          <DialogButton label="Change" subject={subject}>
            <ScheduleDialog repositoryId={repository_id} {...{ schedule, declaration, onDone }} />
          </DialogButton>
        )}
        <RemoveButton
          kind="schedule"
          name={cron_expression}
          subject={subject}
          text={`The repository and its index stay; the runs of the schedule stay in the history.${undoneByApply(declaration)}`}
          act={(api) => api.delete('/api/v1/schedules/{id}', { path: { id } })}
          onDone={onDone}
        />
      </div>
    </li>
  );
}

function budgetsOf(schedule: Schedule): string {
  const { max_embedding_tokens_per_run: run, max_embedding_tokens_per_day: day } = schedule;
  const { time_budget_seconds: time } = schedule;
  const parts = [
    run && `${formatNumber(run)} tokens a run`,
    day && `${formatNumber(day)} tokens a day`,
    time && `${formatNumber(time)} s a run`,
  ];
  return parts.filter(Boolean).join(', ') || 'none';
}

const BUDGETS = [
  ['max_embedding_tokens_per_run', 'Tokens a run may embed'],
  ['max_embedding_tokens_per_day', 'Tokens within 24 hours'],
  ['time_budget_seconds', 'Seconds a run may take'],
] as const;
type Budgets = Pick<Schedule, (typeof BUDGETS)[number][0]>;

interface ScheduleDialogProps {
  repositoryId: string;
  /** Null: a new one. */
  schedule: Schedule | null;
  declaration?: string | undefined;
  onDone: () => void;
}

function ScheduleDialog({ repositoryId, schedule, declaration, onDone }: ScheduleDialogProps) {
  return (
    <FormDialog
      title={schedule ? 'Change the schedule' : 'Add a schedule'}
      submitLabel={schedule ? 'Save' : 'Add the schedule'}
      done={schedule ? 'Schedule saved. Every pod obeys it at once.' : 'Schedule added.'}
      onDone={onDone}
      act={(api, values) => {
        const { cron_expression = '', timezone = '' } = values;
        const budgets = BUDGETS.map(([name]) => [name, values[name] ? Number(values[name]) : null]);
        const body = { cron_expression, timezone, ...(Object.fromEntries(budgets) as Budgets) };
        if (schedule === null)
          return api.post('/api/v1/schedules', { body: { ...body, repository_id: repositoryId } });
        return api.patch('/api/v1/schedules/{id}', { path: { id: schedule.id }, body }, schedule.revision);
      }}
    >
      <TimingFields
        expression={schedule?.cron_expression ?? 'H * * * *'}
        timezone={schedule?.timezone ?? readersZone()}
        repositoryId={repositoryId}
      />
      <details>
        <summary>Budgets</summary>
        {BUDGETS.map(([name, label]) => (
          <NumberField key={name} label={label} name={name} value={schedule?.[name]} />
        ))}
        <p class="hint">
          Empty: no limit. A run that reaches one ends as partial, and the next one continues.
        </p>
      </details>
      <DeclaredConsent declaration={declaration} />
    </FormDialog>
  );
}
