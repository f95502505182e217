import { migrate } from '@adapters/postgres';
import { silentLogger } from '../../support/silent-logger.js';

// Runs as a separate process: migrates the database named by its argument and prints what it applied.
process.stdout.write(JSON.stringify(await migrate({ url: process.argv[2] ?? '', logger: silentLogger })));
