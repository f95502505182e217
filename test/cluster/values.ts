import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { COMPANION, COMPANION_PORT, gitHostOf } from './companion/manifests.js';
import { parseImage } from './image.js';

export interface Values {
  /** Arguments of Helm. */
  arguments: string[];
}

/** The trial values of the chart, with what the test must add to them. */
export async function writeValues(
  folder: string,
  trialFile: string,
  options: { image: string; namespace: string; token: string; isPersistent: boolean },
): Promise<Values> {
  const { image, namespace, token, isPersistent } = options;
  const values = {
    image: { ...parseImage(image), pullPolicy: 'IfNotPresent' },
    secrets: { values: { REPOTIDE_ADMIN_TOKEN: token } },
    components: { all: { replicas: 2 } },
    config: {
      OUTGOING_ALLOWED_HOSTS: `public,http://${gitHostOf(namespace)}`,
      // All load comes from one client.
      API_RATE_LIMIT_PER_MINUTE: 0,
    },
    ...(!isPersistent && { trial: { persistent: false } }),
    networkPolicy: {
      extraEgress: [
        {
          to: [{ podSelector: { matchLabels: { app: COMPANION } } }],
          ports: [{ port: COMPANION_PORT, protocol: 'TCP' }],
        },
      ],
    },
  };
  const file = join(folder, 'values.yaml');
  await writeFile(file, stringify(values));
  return { arguments: ['--values', trialFile, '--values', file] };
}
