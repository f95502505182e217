// A worker thread starts here. Bundled on its own, beside the program.
import { serveContentJobs } from '@adapters/threads';
import { prepareContent } from '@core/indexing';

serveContentJobs(prepareContent);
