import { migrate } from '@adapters/postgres';
import { silentLogger } from '../../support/silent-logger.js';

// A process of its own: migrates the database that its argument names and prints what it applied.
process.stdout.write(JSON.stringify(await migrate({ url: process.argv[2] ?? '', logger: silentLogger })));
