// Fails when a production package has a known vulnerability of high severity (`npm run check:advisories`). Where no registry
// answers in time, it says so and succeeds, because a build must also be possible offline.
import { spawnSync } from 'node:child_process';

const SECONDS = Number(process.argv[2] ?? 15);
const options = ['--omit=dev', '--audit-level=high', '--json', '--fetch-retries=0', '--fetch-timeout=5000'];
const { stdout, error } = spawnSync('npm', ['audit', ...options], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: SECONDS * 1000,
  killSignal: 'SIGKILL',
});

const report = error ? null : parse(stdout);
if (!report?.metadata?.vulnerabilities) {
  console.log('Advisories were not checked: no registry answered.');
} else {
  const severe = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) =>
    /^(high|critical)$/.test(severity),
  );
  for (const { name, severity, range } of severe)
    console.error(`${name} ${range}: ${severity}. See "npm audit".`);
  console.log(`Advisories were checked: ${severe.length} packages have severe ones.`);
  process.exitCode = severe.length > 0 ? 1 : 0;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
