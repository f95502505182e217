import { type Environment, readText } from './environment.js';
import { variables } from './variables.js';

/** Only Repotide uses these prefixes, so every unknown variable with one is a mistake. */
const OWN_PREFIXES = ['REPOTIDE_', 'EMBEDDING_', 'CHUNK_', 'LEASE_', 'MISFIRE_', 'REAPER_'];

/** Kubernetes sets such variables for a Service, e.g. one named `repotide`: they are no mistakes. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$/;

/** One sentence for each variable that looks misspelt, with the most similar known name. */
export function findMisspellings(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => !Object.hasOwn(variables, name) && readText(env, name) !== undefined)
    .filter((name) => !SERVICE_LINK.test(name))
    .sort()
    .flatMap((name) => {
      const isOwn = OWN_PREFIXES.some((prefix) => name.startsWith(prefix));
      const nearest = findNearest(name, isOwn);
      if (!isOwn && nearest.distance > toleranceOf(name)) return [];
      return [`${name} is not a variable of Repotide and was ignored; did you mean ${nearest.name}?`];
    });
}

/** Short names are similar by chance: NODE_NAME is two edits from POD_NAME. */
function toleranceOf(name: string): number {
  if (name.length < 7) return 0;
  return name.length < 11 ? 1 : 2;
}

function findNearest(name: string, isOwn: boolean): { name: string; distance: number } {
  const candidates = Object.keys(variables).map((known) => {
    const isUnitMissing = isOwn && known.startsWith(`${name}_`);
    return { name: known, distance: isUnitMissing ? 1 : editDistance(name, known) };
  });
  return candidates.reduce((best, each) => (each.distance < best.distance ? each : best));
}

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
