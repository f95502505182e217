// Prints how much of an evaluation set the secret scan finds, and what it missed: `npm run bench:secrets`.
import { findSecrets } from '../libs/core/chunking/src/secrets/find-secrets.js';
import { scoreOf, secretCorpus } from '../test/support/secret-corpus.js';

for (const set of ['tuning', 'heldOut', 'further', 'languages'] as const) {
  const { secrets, lookAlikes, recall, precision, missed, wrong } = scoreOf(secretCorpus(set), findSecrets);
  const shares = `recall ${(recall * 100).toFixed(1)} %, precision ${(precision * 100).toFixed(1)} %`;
  console.log(`${set}: ${secrets} secrets, ${lookAlikes} look-alikes; ${shares}`);
  for (const { kind } of new Map(missed.map((line) => [line.kind, line])).values())
    console.log(`  missed: ${kind}`);
  for (const { kind } of new Map(wrong.map((line) => [line.kind, line])).values())
    console.log(`  wrong: ${kind}`);
}
