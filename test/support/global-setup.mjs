// Jest neither transforms nor maps what its global set-up imports, so Node's loader is taught to (JavaScript itself).
import './register-typescript.mjs';

export default async function globalSetup() {
  const { startTestServer } = await import('./test-server.ts');
  globalThis.stopTestServer = await startTestServer(process.env);
}
