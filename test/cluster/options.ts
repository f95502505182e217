import { parseArgs } from 'node:util';

export const HELP = `Installs the chart on a real cluster, and checks what it promises there. See docs/cluster-test.md.

KUBECONFIG=... npm run test:cluster -- --image repotide:0.1.0 [options]
  --image REFERENCE   the image, with a tag or a digest; the nodes must have it or can pull it (required)
  --from CHART        the former chart, from which the test upgrades: a folder, an archive, or a commit of this repository
  --values FILE       more values for the chart, such as pull secrets or images of the trial
  --namespace NAME    must not exist yet (default: repotide-cluster-test-<random>)
  --timeout SECONDS   for what the cluster does at once, such as an installation (default 600)
  --helm BINARY       Helm 3 (default: the one among the development dependencies, else helm of the PATH)
  --keep              leaves release and namespace in the cluster
  --json              prints the report as JSON on standard output; progress goes to standard error
  --list              lists the steps
  --help              prints this text
Exit code 0: every step passed. 1: one did not. 2: an option or the environment is wrong.
`;

export interface Options {
  image: string;
  from: string | null;
  valuesFile: string | null;
  namespace: string | null;
  timeoutSeconds: number;
  helm: string | null;
  keep: boolean;
  json: boolean;
}

/** @returns text to print instead of a test. @throws Error for a wrong option. */
export function readOptions(args: string[]): Options | 'help' | 'list' {
  const { values } = parseArgs({
    args,
    options: {
      image: { type: 'string' },
      from: { type: 'string' },
      values: { type: 'string' },
      namespace: { type: 'string' },
      timeout: { type: 'string', default: '600' },
      helm: { type: 'string' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.list) return 'list';
  if (!values.image)
    throw new Error('--image is missing. Expected: an image that the nodes have or can pull.');
  const timeoutSeconds = Number(values.timeout);
  if (!(timeoutSeconds > 0)) throw new Error(`--timeout ${values.timeout}: expected seconds.`);
  return {
    image: values.image,
    from: values.from ?? null,
    valuesFile: values.values ?? null,
    namespace: values.namespace ?? null,
    timeoutSeconds,
    helm: values.helm ?? null,
    keep: values.keep,
    json: values.json,
  };
}
