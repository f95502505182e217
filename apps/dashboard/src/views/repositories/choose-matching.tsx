import { useState } from 'preact/hooks';
import { type Input, type Schemas } from '../../api/schema.js';
import { useAnnounce } from '../../parts/announcer.js';
import { formatNumber } from '../../parts/format.js';
import { useSession } from '../../state/session.js';
import { failureOf } from '../../state/use-load.js';

type State = Schemas['RepositoryStateDto'];

/** The API's largest page. */
const PAGE_SIZE = 500;

interface ChooseMatchingProps {
  filters: NonNullable<Input<'get', '/api/v1/repository-states'>['query']>;
  /** How many match. */
  total: number;
  /** Whether all of the page are chosen. */
  isOffered: boolean;
  chosen: number;
  onDone: (all: readonly State[]) => void;
}

/** Chooses all repositories that match the filters, on all pages. */
export function ChooseMatching({ filters, total, isOffered, chosen, onDone }: ChooseMatchingProps) {
  const { api } = useSession();
  const announce = useAnnounce();
  const [isBusy, setIsBusy] = useState(false);
  if (!isOffered || chosen >= total) return null;
  const choose = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const all: State[] = [];
      for (let offset = 0; offset < total; offset += PAGE_SIZE) {
        const query = { ...filters, sort: 'project_path', limit: PAGE_SIZE, offset } as const;
        all.push(...(await api.get('/api/v1/repository-states', { query })).items);
      }
      onDone(all);
    } catch (thrown) {
      announce({ text: failureOf(thrown).message, isBad: true });
    }
    setIsBusy(false);
  };
  return (
    <button type="button" aria-disabled={isBusy} onClick={() => void (isBusy || choose())}>
      {`Choose all ${formatNumber(total)} that match`}
    </button>
  );
}
