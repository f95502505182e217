import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { Choose, type Choice } from './choose.js';
import { Host, type Connection } from './host.js';
import { FirstSync } from './first-sync.js';
import { Start } from './start.js';

const STEPS = ['GitLab and token', 'Projects', 'Schedule', 'First sync'] as const;

/** Connects a GitLab: host and token, a group or projects, a schedule, and the first sync with its progress. */
export function Connect() {
  const [connection, setConnection] = useState<Connection | null>(null);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [isStarted, setIsStarted] = useState(false);
  const step = isStarted ? 3 : choice ? 2 : connection ? 1 : 0;
  const { api } = useSession();
  const isKept = useRef(false);
  isKept.current = isStarted;
  useEffect(() => {
    const id = connection?.isNewCredential === true ? connection.credentialId : undefined;
    if (id === undefined) return;
    // Nothing uses the token when the wizard is left before its last step. The service refuses if something does.
    return () => {
      if (!isKept.current)
        void api.delete('/api/v1/credentials/{id}', { path: { id } }).catch(() => undefined);
    };
  }, [connection]);
  const current = useRef<HTMLLIElement>(null);
  const former = useRef(step);
  useEffect(() => {
    // The button that led here was removed: the focus moves to the name of the step.
    if (former.current !== step) current.current?.focus();
    former.current = step;
  }, [step]);
  return (
    <>
      <p>
        <a href={linkTo('setup')}>← Set up</a>
      </p>
      <h1>Connect a GitLab</h1>
      <ol class="steps" aria-label="Steps">
        {STEPS.map((title, index) => (
          <li
            key={title}
            {...(index === step && { ref: current, tabIndex: -1 })}
            aria-current={index === step ? 'step' : undefined}
            class={index < step ? 'is-done' : ''}
          >
            {title}
          </li>
        ))}
      </ol>
      {step === 0 && <Host onDone={setConnection} />}
      {step === 1 && connection && (
        <Choose connection={connection} onBack={() => setConnection(null)} onDone={setChoice} />
      )}
      {step === 2 && connection && choice && (
        <Start
          connection={connection}
          choice={choice}
          onBack={() => setChoice(null)}
          onDone={() => setIsStarted(true)}
        />
      )}
      {step === 3 && choice && <FirstSync choice={choice} />}
    </>
  );
}
